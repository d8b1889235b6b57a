/* A tree in an obstack. With f it becomes a cycle. */
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

struct obstack pool;

struct tree {
    int op;
    struct tree *left, *right;
};

static struct tree *leaf(int op)
{
    struct tree *t = obstack_alloc(&pool, sizeof *t);
    t->op = op;
    t->left = t->right = NULL;
    return t;
}

static struct tree *node(int op, struct tree *left, struct tree *right)
{
    struct tree *t = leaf(op);
    t->left = left;
    t->right = right;
    return t;
}

static int leaves(struct tree *t)
{
    return t->left ? leaves(t->left) + leaves(t->right) : 1;
}

static int run(struct tree *t)
{
    return leaves(t);
}

int main(int argc, char **argv)
{
    obstack_init(&pool);
    struct tree *t = node('*', leaf('x'), node('+', leaf('y'), leaf('z')));
    if (argv[1][0] == 'f') {
        node('-', leaf('p'), leaf('q'));
        t->right->right = t;
    }
    printf("%d\n", run(t));
    return 0;
}
