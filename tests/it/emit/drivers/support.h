/* Scripts for the C drivers. */
#ifndef SUPPORT_H
#define SUPPORT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int method, fails, must, count, used;
    char *args[16];
    char *result;
} script_call;

typedef struct {
    script_call calls[64];
    int count, position, lazy;
} script;

static char *cursor;
static const char *place;
static inline char *word(void) {
    char *start = cursor;
    char *end = strchr(cursor, ' ');
    if (end != NULL) {
        *end = '\0';
        cursor = end + 1;
    } else {
        cursor += strlen(cursor);
    }
    return start;
}
static inline int number(void) { return atoi(word()); }
static inline void read_calls(script *s) {
    int i, j;
    s->count = number();
    s->position = 0;
    for (i = 0; i < s->count; i++) {
        script_call *c = &s->calls[i];
        c->method = number();
        c->fails = number();
        c->must = number();
        c->count = number();
        c->used = 0;
        for (j = 0; j < c->count; j++) c->args[j] = word();
        c->result = word();
    }
}
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "%s: %s, line %d\n", place, #x, __LINE__); exit(1); } } while (0)
typedef int64_t opaque_;
static inline bool read_bool(const char *t) { return strcmp(t, "1") == 0; }
static inline bool same_bool(bool v, const char *t) { return v == read_bool(t); }
static inline int64_t read_int64_t(const char *t) { return strtoll(t, NULL, 10); }
static inline bool same_int64_t(int64_t v, const char *t) { return v == read_int64_t(t); }
static inline double read_double(const char *t) { return strtod(t, NULL); }
static inline bool same_double(double v, const char *t) { return v == read_double(t); }
#endif
