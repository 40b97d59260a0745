// The editor. It is in a shadow root, where its style sheets need no exception from the content security policy.

import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { forEachDiagnostic, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { h, prose } from "./dom.js";
import { language } from "./language.js";

const wave = (color) => ({
  backgroundImage: "none",
  paddingBottom: "0",
  textDecoration: `underline wavy var(${color})`,
  textDecorationSkipInk: "none",
  textUnderlineOffset: "3px",
});

const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--panel)", color: "var(--ink)", fontSize: "var(--editor-size)" },
  "&.cm-focused": { outline: "3px solid var(--here)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "var(--code)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)", paddingBlock: "0.6rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--box)", color: "var(--quiet)", borderRight: "1px solid var(--rule)" },
  ".cm-activeLine": { backgroundColor: "var(--active)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--here-box)", color: "var(--ink)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--here-box)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--here-box)", outline: "1px solid var(--here)" },
  ".cm-placeholder": { color: "var(--quiet)" },
  ".cm-specialChar": { color: "var(--bad)" },
  ".cm-lintRange-error": wave("--bad"),
  ".cm-lintRange-warning": wave("--hit"),
  ".cm-lintRange-info, .cm-lintRange-hint": wave("--here"),
  ".cm-lintRange-active": { backgroundColor: "var(--here-box)" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    border: "1px solid var(--quiet)",
    borderRadius: "6px",
    maxWidth: "min(34rem, 90vw)",
    overflowWrap: "anywhere",
  },
  ".cm-diagnostic": { padding: "0.4rem 0.6rem", borderLeftWidth: "4px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--hit)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--here)" },
  ".cm-diagnostic .remark": { display: "block", marginTop: "0.3rem" },
  ".cm-diagnostic code": { fontFamily: "var(--code)" },
  ".cm-panels": { backgroundColor: "var(--box)", color: "var(--ink)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--rule)" },
  ".cm-textfield, .cm-button": {
    backgroundColor: "var(--panel)",
    backgroundImage: "none",
    color: "var(--ink)",
    border: "1px solid var(--quiet)",
    borderRadius: "4px",
  },
  ".tok-comment": { color: "var(--quiet)", fontStyle: "italic" },
  ".tok-keyword": { color: "var(--word)", fontWeight: "600" },
  ".tok-typeName": { color: "var(--sort)" },
  ".tok-operator": { color: "var(--sign)" },
  ".tok-atom, .tok-bool, .tok-number": { color: "var(--value)" },
  ".tok-string": { color: "var(--value)" },
  ".tok-meta": { color: "var(--sort)" },
  ".tok-variableName.tok-function": { color: "var(--call)" },
});

/** Examples that are shown while the text is empty. */
const BEGIN = {
  tsl: "always guarantee {\n  press -> [lamp <- on()];\n}",
  ltl: "// inputs: request\n// outputs: grant\nG (request -> F grant);",
  tlsf: 'INFO { TITLE: "" DESCRIPTION: "" SEMANTICS: Mealy TARGET: Mealy }\nMAIN {\n  INPUTS { request; }\n  OUTPUTS { grant; }\n  GUARANTEES { G (request -> F grant); }\n}',
};

const spoken = (ending) => [language(ending), placeholder(BEGIN[ending])];

const SEVERITY = { error: "error", warning: "warning", note: "info" };

export class Editor {
  #language = new Compartment();
  #view;

  /** `changed` is called after every change of the text, `now` for the key that checks at once. */
  constructor(host, { changed, now }) {
    const root = host.attachShadow({ mode: "open" });
    const place = h("div", {});
    place.style.height = "100%";
    root.append(place);
    this.#view = new EditorView({
      root,
      parent: place,
      state: EditorState.create({
        doc: "",
        extensions: [
          lineNumbers(),
          highlightActiveLineGutter(),
          highlightSpecialChars(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of("  "),
          syntaxHighlighting(classHighlighter),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            "aria-label": "Specification",
            "aria-describedby": "editor-help",
            spellcheck: "false",
            autocapitalize: "off",
            autocorrect: "off",
          }),
          Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (now(), true) }])),
          keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap]),
          this.#language.of(spoken("tsl")),
          theme,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed();
          }),
        ],
      }),
    });
  }

  get text() {
    return this.#view.state.doc.toString();
  }

  /** Replaces the whole text; undo brings the earlier one back. */
  set text(text) {
    const state = this.#view.state;
    const changes = { from: 0, to: state.doc.length, insert: text };
    this.#view.dispatch({ changes, selection: { anchor: 0 }, scrollIntoView: true, annotations: isolateHistory.of("full") });
  }

  set ending(ending) {
    this.#view.dispatch({ effects: this.#language.reconfigure(spoken(ending)) });
  }

  focus() {
    this.#view.focus();
  }

  /** Selects a range and scrolls to it. */
  show({ from, to }) {
    const most = this.#view.state.doc.length;
    const selection = { anchor: Math.min(from, most), head: Math.min(to, most) };
    this.#view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: "center" }) });
    this.#view.focus();
  }

  /** Replaces ranges, which do not overlap; one undo takes all of it back. */
  edit(changes) {
    this.#view.dispatch({ changes, scrollIntoView: true, annotations: isolateHistory.of("full") });
  }

  /** Underlines findings. */
  mark(findings) {
    const doc = this.#view.state.doc;
    const marks = findings.map(({ from, to, severity, code, message, hints }) => {
      const begin = Math.min(from, doc.length);
      let end = Math.min(Math.max(to, begin), doc.length);
      let start = begin;
      // A mark must be visible: an empty range is extended by the next character, else by the previous one.
      if (start === end) {
        if (end < doc.length && doc.lineAt(end).to > end) end += 1;
        else if (start > 0 && doc.lineAt(start).from < start) start -= 1;
      }
      return {
        from: start,
        to: end,
        severity: SEVERITY[severity] ?? "info",
        message,
        renderMessage: () =>
          h("div", {}, code ? h("strong", {}, `${code} `) : "", ...prose(message), hints.map((hint) => h("span", { class: "remark" }, "Hint: ", ...prose(hint)))),
      };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, marks));
  }

  /** The ranges that are underlined, for tests. */
  get marks() {
    const found = [];
    forEachDiagnostic(this.#view.state, (mark, from, to) => found.push({ from, to, severity: mark.severity, message: mark.message }));
    return found;
  }
}
