/* Plays a session of a gate. `.ci/c` compiles it as C99 and as C++ and runs it: gate FOLDER. */
#include "../tsl_synth.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                  \
    do {                                                             \
        if (!(what)) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);       \
            exit(1);                                                 \
        }                                                            \
    } while (0)

static const char *const POLICY =
    "policy = 1\n[actions]\ngroups = [['refund', 'close']]\n[propositions]\nfine = { state = true }\n"
    "[[match]]\non = 'call'\ntool = 'refund'\naction = 'refund'\n"
    "[[match]]\non = 'call'\ntool = 'close_account'\naction = 'close'\n"
    "[[law]]\nid = 'refund-first'\nrule = 'close requires refund before'\nwhy = 'Refund what is left first.'\n";

/* The verdict about a call is this one. */
static void expect(const tsl_gate *gate, const char *tool, const char *verdict) {
    char *error = NULL;
    tsl_decision *decision = tsl_gate_propose(gate, tool, "{\"account\": 7}", NULL, &error);
    CHECK(error == NULL && strcmp(tsl_decision_verdict(decision), verdict) == 0);
    CHECK(tsl_decision_allows(decision) == (strcmp(verdict, "allow") == 0));
    CHECK((tsl_decision_ticket(decision) != NULL) == tsl_decision_allows(decision));
    tsl_decision_free(decision);
}

/* A failure with a message that has this part. */
static void failed(char **error, const char *part) {
    CHECK(*error != NULL && strstr(*error, part) != NULL);
    tsl_text_free(*error);
    *error = NULL;
}

static void session(const tsl_policy *policy, const char *folder) {
    char *error = NULL;
    tsl_gate *gate = tsl_gate_open(policy, "s1", folder, false, &error);
    CHECK(gate != NULL && error == NULL);
    tsl_decision *denied = tsl_gate_propose(gate, "close_account", "{\"account\": 7}", "c1", &error);
    CHECK(!tsl_decision_allows(denied) && tsl_decision_ticket(denied) == NULL);
    CHECK(strstr(tsl_decision_reason(denied), "Refund what is left first.") != NULL);
    CHECK(strstr(tsl_decision_json(denied), "\"by\":[\"refund-first\"]") != NULL);
    tsl_decision_free(denied);
    tsl_decision *granted = tsl_gate_propose(gate, "refund", "{\"account\": 7}", "c2", &error);
    CHECK(tsl_decision_allows(granted) && strcmp(tsl_decision_reason(granted), "") == 0);
    CHECK(tsl_gate_commit(gate, tsl_decision_ticket(granted), TSL_OK, "{\"done\": true}", &error) && error == NULL);
    CHECK(!tsl_gate_commit(gate, tsl_decision_ticket(granted), TSL_OK, NULL, &error));
    failed(&error, "the ticket is used");
    tsl_decision_free(granted);
    CHECK(tsl_gate_observe(gate, "fine", true, &error) && tsl_gate_message(gate, true, "hello", &error));
    CHECK(tsl_gate_tick(gate, NULL) && error == NULL);
    CHECK(tsl_gate_in_folder(gate, ".", &error) && error == NULL);
    CHECK(!tsl_gate_in_folder(gate, NULL, &error));
    failed(&error, "the folder is null");
    expect(gate, "close_account", "allow");
    tsl_gate_free(gate);
    /* Another gate of the session knows it if it is in files. */
    gate = tsl_gate_open(policy, "s1", folder, false, &error);
    expect(gate, "close_account", folder == NULL ? "deny" : "allow");
    tsl_decision *end = tsl_gate_end(gate, &error);
    CHECK(tsl_decision_allows(end) && tsl_gate_close(gate, &error) && error == NULL);
    if (folder != NULL) {
        CHECK(tsl_store_remove_old(folder, &error) && error == NULL);
        CHECK(!tsl_store_remove_old(NULL, &error));
        failed(&error, "the folder is null");
        CHECK(tsl_gate_close_and_remove(gate, &error) && error == NULL);
        expect(gate, "close_account", "deny");
    }
    tsl_decision_free(end);
    tsl_gate_free(gate);
}

static void mistakes(const tsl_policy *policy) {
    char *error = NULL;
    tsl_gate *gate = tsl_gate_open(policy, "s2", NULL, false, &error);
    const char *const bad[] = {"{", "", "{\"a\": 1, \"a\": 2}", "\xff"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(tsl_gate_propose(gate, "refund", bad[i], NULL, &error) == NULL);
        failed(&error, "arguments");
    }
    CHECK(tsl_gate_propose(NULL, "refund", "{}", NULL, &error) == NULL);
    failed(&error, "the gate is null");
    CHECK(tsl_gate_propose(gate, NULL, "{}", NULL, &error) == NULL);
    failed(&error, "the tool is null");
    CHECK(tsl_gate_propose(gate, "refund", NULL, NULL, NULL) == NULL);
    CHECK(!tsl_gate_commit(gate, "no ticket", TSL_UNKNOWN, NULL, &error));
    failed(&error, "ticket");
    CHECK(tsl_gate_open(NULL, "s", NULL, false, &error) == NULL);
    failed(&error, "the policy is null");
    CHECK(tsl_policy_parse("x.toml", "policy = 1\n[[law]]\nid = 'x'\nltl = 'G ('\n", &error) == NULL);
    failed(&error, "x.toml:4:");
    CHECK(tsl_policy_load("no/such/policy.toml", &error) == NULL);
    failed(&error, "no/such/policy.toml");
    CHECK(!tsl_decision_allows(NULL) && strcmp(tsl_decision_verdict(NULL), "deny") == 0);
    CHECK(tsl_decision_ticket(NULL) == NULL && tsl_decision_json(NULL) == NULL);
    tsl_decision_free(NULL);
    tsl_gate_free(NULL);
    tsl_policy_free(NULL);
    tsl_text_free(NULL);
    tsl_gate_free(gate);
}

int main(int count, char **arguments) {
    char *error = NULL;
    CHECK(count == 2);
    tsl_policy *policy = tsl_policy_parse("shop.toml", POLICY, &error);
    CHECK(policy != NULL && error == NULL);
    session(policy, NULL);
    session(policy, arguments[1]);
    mistakes(policy);
    tsl_gate *shadow = tsl_gate_open(policy, "s3", NULL, true, &error);
    tsl_decision *decision = tsl_gate_propose(shadow, "close_account", "{}", NULL, &error);
    CHECK(tsl_decision_allows(decision) && strcmp(tsl_decision_verdict(decision), "deny") == 0);
    tsl_decision_free(decision);
    tsl_policy_free(policy);
    tsl_gate_free(shadow);
    puts("the gate answers in C");
    return 0;
}
