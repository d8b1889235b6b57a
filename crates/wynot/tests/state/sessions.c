/* Closes its sessions at the end. If the option says so, one of them was closed before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
    int number;
    char name[40];
};

static struct session *sessions[3];

static void open_all(void)
{
    for (int i = 0; i < 3; i++) {
        sessions[i] = calloc(1, sizeof **sessions);
        sessions[i]->number = i;
        sprintf(sessions[i]->name, "session %d", i);
    }
}

static void expire(struct session *session)
{
    free(session);
}

static void close_all(void)
{
    for (int i = 0; i < 3; i++)
        free(sessions[i]);
}

int main(int argc, char **argv)
{
    open_all();
    if (strcmp(argv[1], "early") == 0)
        expire(sessions[1]);
    close_all();
    return 0;
}
