// Written by `tsl-synth shield install`: do not edit.
// Asks the gate before each call of a tool, and throws unless it allows the call: also if the gate is missing, crashes,
// is too slow or gives an answer that cannot be parsed. OpenCode does not run a call whose hook throws, and passes the
// message to the model. OpenCode 1 calls `server`, OpenCode 2 calls `setup`.
import { spawn } from "node:child_process";

const COMMAND = [];
// Milliseconds; longer than the time limit of the gate itself.
const DEADLINE = 20000;
const OUTPUT_LIMIT = 1 << 20;

/** The answer of the gate to an event; rejects if there is none. */
function ask(event, payload) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`denied by tsl-synth: ${why}`));
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "--event", event], { windowsHide: true });
    const clock = setTimeout(() => {
      child.kill("SIGKILL");
      fail("the gate did not answer in time");
    }, DEADLINE);
    let out = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text) => {
      if (out.length < OUTPUT_LIMIT) out += text;
    });
    child.stderr.resume();
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      clearTimeout(clock);
      fail(`the gate cannot be started (${error.message})`);
    });
    child.on("close", (code) => {
      clearTimeout(clock);
      if (code !== 0) return fail(`the gate ended with exit code ${code}`);
      try {
        resolve(JSON.parse(out));
      } catch {
        fail("the gate gave an answer that cannot be read");
      }
    });
    child.stdin.end(JSON.stringify({ ...payload, hook_event_name: event }));
  });
}

/** Throws unless the gate allows the call or the prompt. */
async function permit(event, payload) {
  const answer = await ask(event, payload);
  if (answer?.verdict !== "allow") throw new Error(String(answer?.reason || "denied by tsl-synth"));
}

/** Reports an event to the gate and ignores the answer. */
async function tell(event, payload) {
  await ask(event, payload).catch(() => {});
}

/** Prevents later plugins from changing a call that was judged. */
function freeze(value) {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
  return value;
}

/** The server and the tool of a name like `server_tool`; of several servers the one with the longest name. */
function named(servers, name) {
  const found = servers
    .map((server) => [server, `${server.replace(/[^a-zA-Z0-9_-]/g, "_")}_`])
    .filter(([, head]) => name.startsWith(head) && name.length > head.length)
    .sort((one, other) => other[1].length - one[1].length)[0];
  return found ? { mcp_server: found[0], tool_name: name.slice(found[1].length) } : { tool_name: name };
}

async function server({ client, directory }) {
  let servers = [];
  const roots = new Map();
  const refused = new Set();
  /** A subagent has a session of its own, which is part of its root session for the gate. */
  const within = async (id) => {
    if (!roots.has(id)) {
      let root = id;
      for (let depth = 0; depth < 16; depth += 1) {
        const found = await client.session.get({ path: { id: root } }).catch(() => undefined);
        if (!found?.data?.parentID) break;
        root = found.data.parentID;
      }
      roots.set(id, root);
    }
    const root = roots.get(id);
    return root === id ? { session_id: id } : { session_id: root, agent_id: id };
  };
  const call = async (told) => ({
    ...(await within(told.sessionID)),
    ...named(servers, told.tool),
    cwd: directory,
    tool_use_id: told.callID,
  });
  return {
    config: async (config) => {
      servers = Object.keys(config?.mcp ?? {});
    },
    "chat.message": async (told, message) => {
      const parts = message.parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored);
      const prompt = parts.map((part) => part.text).join("\n");
      await permit("UserPromptSubmit", { ...(await within(told.sessionID)), cwd: directory, prompt });
    },
    "tool.execute.before": async (told, output) => {
      const input = freeze(output.args ?? {});
      try {
        await permit("PreToolUse", { ...(await call(told)), tool_input: input });
      } catch (error) {
        refused.add(told.callID);
        throw error;
      }
    },
    "tool.execute.after": async (told, output) => {
      const result = { tool_response: output?.output ?? null, exit: output?.metadata?.exit ?? null };
      await tell("PostToolUse", { ...(await call(told)), ...result });
    },
    event: async ({ event }) => {
      const part = event.type === "message.part.updated" ? event.properties.part : undefined;
      if (part?.type !== "tool" || part.state.status !== "error" || refused.has(part.callID)) return;
      // The call ended by an error, or was interrupted.
      refused.add(part.callID);
      await tell("PostToolUseFailure", { ...(await call(part)), error: String(part.state.error) });
    },
  };
}

async function setup(context) {
  let servers = [];
  const call = (event) => ({
    ...named(servers, event.tool),
    session_id: event.sessionID,
    cwd: context.location?.directory,
    tool_use_id: event.id,
  });
  await context.tool.hook("execute.before", async (event) => {
    const tool = event.tool;
    const input = freeze(structuredClone(event.input ?? {}));
    const fixed = (value) => ({
      get: () => value,
      set: () => {
        throw new Error("denied by tsl-synth: another plugin changes a call that was judged");
      },
    });
    Object.defineProperties(event, { tool: fixed(tool), input: fixed(input) });
    await permit("PreToolUse", { ...call(event), tool_input: input });
  });
  try {
    await context.mcp.transform((all) => {
      servers = all.list().map(([name]) => name);
    });
  } catch {
    // Without the list of servers, tools of servers have their full names in the policy.
  }
}

export default { id: "tsl-synth", server, setup };
