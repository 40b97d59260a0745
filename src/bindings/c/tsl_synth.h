/*
 * Temporal rules for the tool calls of agents, decided before each call: the gate of tsl-synth for C.
 *
 * Texts are UTF-8 and end with a zero. A function that fails returns NULL, or false, and stores a message in `*error`,
 * unless `error` is NULL; tsl_text_free frees the message. A call about which there is no decision must not be made. The
 * texts of a decision live as long as the decision. Policies and gates may be used by several threads; the calls at one
 * gate are decided one after the other. All functions accept NULL for an object: they fail, or do nothing.
 */
#ifndef TSL_SYNTH_H
#define TSL_SYNTH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsl_policy tsl_policy;
typedef struct tsl_gate tsl_gate;
typedef struct tsl_decision tsl_decision;

typedef enum tsl_outcome { TSL_FAILED = 0, TSL_OK = 1, TSL_UNKNOWN = 2 } tsl_outcome;

/*
 * Reads and compiles the policy in a file. Gates take up what is edited in the file from their next decision on, or deny
 * everything if the policy says `on_change = "deny"`.
 */
tsl_policy *tsl_policy_load(const char *path, char **error);
/* Reads and compiles a policy; the name is for messages and journals. */
tsl_policy *tsl_policy_parse(const char *name, const char *text, char **error);
void tsl_policy_free(tsl_policy *policy);

/*
 * The gate of a session, which is continued if the store has it. The store is a folder, whose journals are shared with
 * other processes, also with `tsl-synth shield`; with NULL the session is in the memory of this gate. With `shadow`, calls
 * are decided and recorded, and all are allowed. The policy may be freed before the gate.
 */
tsl_gate *tsl_gate_open(const tsl_policy *policy, const char *session, const char *folder, bool shadow, char **error);
/*
 * Says in which folder commands run, for the scripts that they run (`read_scripts` in the policy) and for probes. Without it
 * scripts with relative paths are not read, and only probes with a folder of their own are run.
 */
bool tsl_gate_in_folder(const tsl_gate *gate, const char *folder, char **error);
void tsl_gate_free(tsl_gate *gate);

/* May a call be made? The arguments are an object in JSON; `id` is the caller's id for the call, or NULL. */
tsl_decision *tsl_gate_propose(const tsl_gate *gate, const char *tool, const char *arguments, const char *id, char **error);
/* May the agent stop? */
tsl_decision *tsl_gate_end(const tsl_gate *gate, char **error);
/* Reports how the call with a ticket ended; the result is JSON, or NULL if it is not reported. */
bool tsl_gate_commit(const tsl_gate *gate, const char *ticket, tsl_outcome outcome, const char *result, char **error);
/* Reports whether a proposition holds. */
bool tsl_gate_observe(const tsl_gate *gate, const char *proposition, bool holds, char **error);
/* Reports a message: of the user, or else of the agent. */
bool tsl_gate_message(const tsl_gate *gate, bool is_users, const char *text, char **error);
/* Reports that time passed. */
bool tsl_gate_tick(const tsl_gate *gate, char **error);
/* Reports that the session is over, and frees its memory; its journal stays. */
bool tsl_gate_close(const tsl_gate *gate, char **error);
/* The same, and removes the journal; the name is then that of a new session. Other gates of it must not be in use. */
bool tsl_gate_close_and_remove(const tsl_gate *gate, char **error);
/*
 * Removes the sessions in a folder whose last event is older than the policy says that decided last in them (`retain`). A
 * session that another process is deciding in stays.
 */
bool tsl_store_remove_old(const char *folder, char **error);

/* Whether the call may be made without the approval of a person; false for NULL. */
bool tsl_decision_allows(const tsl_decision *decision);
/* `allow`, `warn`, `ask` (a person must approve) or `deny`; `deny` for NULL. */
const char *tsl_decision_verdict(const tsl_decision *decision);
/* Why, in sentences; empty if the call is simply allowed, or for NULL. */
const char *tsl_decision_reason(const tsl_decision *decision);
/* Identifies the call in tsl_gate_commit; NULL if it is denied. */
const char *tsl_decision_ticket(const tsl_decision *decision);
/* The answer with all details, in JSON: `tsl-synth help shield` lists its fields. NULL for NULL. */
const char *tsl_decision_json(const tsl_decision *decision);
void tsl_decision_free(tsl_decision *decision);

/* Frees a message. */
void tsl_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
