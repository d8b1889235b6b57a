/* Looks up a key by its bytes, with whatever is between its members. */
#include <stdlib.h>
#include <string.h>

struct key {
    char kind;
    long number;
};

static struct key known, wanted;

static void make(struct key *key, int number, int fill)
{
    memset(key, fill, sizeof *key);
    key->kind = 'k';
    key->number = number;
}

static void look_up(void)
{
    if (memcmp(&known, &wanted, sizeof known) != 0)
        abort();
}

int main(int argc, char **argv)
{
    make(&known, 7, 0);
    make(&wanted, 7, atoi(argv[1]));
    look_up();
    return 0;
}
