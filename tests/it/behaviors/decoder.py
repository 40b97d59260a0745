"""Random samples under the constrained decoder llguidance: a request on standard input, texts on standard output (JSON)."""

import json
import random
import sys

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

# After so many tokens a sample takes a prompt wherever it may, and the end of the text before that.
FREE = 12
# A sample has no more.
MOST = 300

request = json.load(sys.stdin)
words = [bytes(word) for word in request["words"]]
pieces = set(request["pieces"])
end = len(words)
random_ = random.Random(request["seed"])


class Vocabulary:
    eos_token_id = end
    bos_token_id = None
    tokens = words + [b"<|end|>"]
    special_token_ids = [end]

    def __call__(self, text):
        return [words.index(bytes([byte])) for byte in text]


tokenizer = LLTokenizer(TokenizerWrapper(Vocabulary()))


def sample(matcher):
    taken = []
    for length in range(MOST):
        mask = matcher.compute_bitmask()
        allowed = [token for token in range(end + 1) if mask[token // 8] >> (token % 8) & 1]
        if length >= FREE:
            if end in allowed:
                allowed = [end]
            elif pieces.intersection(allowed):
                most = max(len(words[token]) for token in pieces.intersection(allowed))
                allowed = [
                    token
                    for token in allowed
                    if token in pieces and (len(words[token]) == most or random_.random() < 0.3)
                ]
        token = random_.choice(allowed)
        if token == end:
            break
        assert matcher.consume_token(token), matcher.get_error()
        taken.append(token)
        if matcher.is_stopped():
            break
    assert not matcher.is_error(), matcher.get_error()
    assert matcher.is_stopped() or matcher.is_accepting(), b"".join(words[t] for t in taken)
    return b"".join(words[token] for token in taken).decode()


answer = []
for job in request["jobs"]:
    make = LLMatcher.grammar_from_lark if job["kind"] == "lark" else LLMatcher.grammar_from_regex
    fresh = LLMatcher(tokenizer, make(job["grammar"]))
    assert not fresh.is_error(), fresh.get_error()
    answer.append([sample(fresh.deep_copy()) for _ in range(job["samples"])])
json.dump(answer, sys.stdout)
