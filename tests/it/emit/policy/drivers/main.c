/* Runs a script through an emitted monitor, included before: letters, what follows them, snapshots. NAME(x) and CONST(X) are
   the names of the monitor. */

#include <assert.h>
#include <stdlib.h>

static size_t unhex(const char *code, char *out) {
    size_t n = 0;
    unsigned byte;
    for (code++; sscanf(code, "%2x", &byte) == 1; code += 2) {
        out[n++] = (char)byte;
    }
    out[n] = '\0';
    return n;
}

int main(int count, char **arguments) {
    static char line[1 << 16];
    static char name[1 << 12];
    char saved[CONST(SNAPSHOT_SIZE)], again[CONST(SNAPSHOT_SIZE)], small[8];
    NAME(state_t) state = NAME(start)();
    FILE *script = fopen(arguments[1], "r");
    long total = 0;
    int64_t amount;
    (void)count;
    assert(script != NULL);
    while (fgets(line, sizeof line, script) != NULL) {
        NAME(letter_t) letter;
        NAME(state_t) after;
        size_t laws[CONST(LAWS) + 1];
        char shown[CONST(LAWS) + 8];
        char *fields[5], *at = line, *word;
        size_t i;
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "R") == 0) {
            state = NAME(start)();
            continue;
        }
        if (strcmp(line, "S") == 0) {
            NAME(state_t) before = state;
            assert(NAME(snapshot)(&state, saved, sizeof saved) && !NAME(snapshot)(&state, small, sizeof small));
            state = NAME(start)();
            assert(!NAME(restore)(&state, "") && !NAME(restore)(&state, "{\"machine\": 1}"));
            assert(!NAME(restore)(&state, "{\"machine\": \"00\", \"letters\": 0}"));
            strcpy(again, saved);
            again[strlen(again) - 1] = ']';
            assert(!NAME(restore)(&state, again));
            assert(NAME(restore)(&state, saved) && memcmp(&state, &before, sizeof state) == 0);
            continue;
        }
        for (i = 0; i < 5; i++) {
            fields[i] = at;
            at = strchr(at, '\t');
            if (at != NULL) {
                *at++ = '\0';
            }
        }
        memset(&letter, 0, sizeof letter);
        for (word = strtok(fields[0], " "); word != NULL; word = strtok(NULL, " ")) {
            unhex(word, name);
            for (i = 0; strcmp(NAME(atom_name)(i), name) != 0; i++) {
            }
            letter.atoms[i] = true;
        }
        for (word = strtok(fields[3], " "); word != NULL; word = strtok(NULL, " ")) {
            char *equals = strchr(word, '=');
            *equals = '\0';
            unhex(word, name);
            for (i = 0; strcmp(NAME(register_name)(i), name) != 0; i++) {
            }
            assert(NAME(units)(equals + 1, &letter.amounts[i]));
        }
        assert(NAME(step)(&state, &letter, &after) && NAME(step)(&state, &letter, &state));
        assert(memcmp(&state, &after, sizeof state) == 0);
        letter.amounts[0] = -1;
        assert(CONST(REGISTERS) == 0 || !NAME(step)(&state, &letter, &state));
        for (i = 0; i < CONST(LAWS); i++) {
            shown[i] = (char)('0' + NAME(verdict)(&state, i));
        }
        sprintf(shown + i, " %d 0", (int)NAME(joint)(&state));
        if (strcmp(shown, fields[4]) != 0) {
            fprintf(stderr, "letter %ld: %s instead of %s\n", total, shown, fields[4]);
            return 1;
        }
        assert(NAME(violations)(&state, laws) <= CONST(LAWS));
        total++;
    }
    assert(!NAME(units)("-1", &amount) && !NAME(units)("", &amount) && !NAME(units)("1.", &amount));
    assert(!NAME(units)(".5", &amount) && !NAME(units)("0.0000000000000001", &amount));
    assert(NAME(units)("1.50", &amount) && amount == 1500000);
    assert(!NAME(units)("99999999999999999999", &amount));
    assert(NAME(law)(0) != NULL && strlen(NAME(verdict_word)(NAME(joint)(&state))) > 0);
    printf("letters %ld\n", total);
    return 0;
}
