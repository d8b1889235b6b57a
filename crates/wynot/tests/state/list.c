/* Builds a list of the numbers that it is given; cannot bear that 15 is in it. */
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *cons(int value, struct node *next)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = next;
    return node;
}

static int check(struct node *list)
{
    int sum = 0;
    for (struct node *node = list; node; node = node->next) {
        int *where = node->value == 15 ? NULL : &node->value;
        sum += *where;
    }
    return sum;
}

int main(int argc, char *argv[])
{
    struct node *list = NULL;
    for (int i = argc - 1; i > 0; i--)
        list = cons(atoi(argv[i]), list);
    return check(list) == 0;
}
