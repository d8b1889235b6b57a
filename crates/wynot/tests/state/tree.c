/* Multiplies out a product of sums in prefix notation: *+xyz becomes +*xz*yz. With -s it saves memory, by
   using nodes twice, and takes the wrong one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree {
    char op;
    struct tree *left, *right;
};

static struct tree *make(char op, struct tree *left, struct tree *right)
{
    struct tree *tree = malloc(sizeof *tree);
    tree->op = op;
    tree->left = left;
    tree->right = right;
    return tree;
}

static int share;

static struct tree *parse(const char **text)
{
    char op = *(*text)++;
    if (op != '*' && op != '+')
        return make(op, NULL, NULL);
    struct tree *left = parse(text);
    struct tree *right = parse(text);
    return make(op, left, right);
}

static void distribute(struct tree *tree)
{
    if (!tree->left)
        return;
    distribute(tree->left);
    distribute(tree->right);
    if (tree->op == '*' && tree->left->op == '+') {
        struct tree *sum = tree->left;
        struct tree *factor = tree->right;
        tree->op = '+';
        tree->right = make('*', sum->right, factor);
        sum->op = '*';
        sum->right = share ? tree : make(factor->op, factor->left, factor->right);
    }
}

static int leaves(const struct tree *tree)
{
    return tree->left ? leaves(tree->left) + leaves(tree->right) : 1;
}

int main(int argc, char *argv[])
{
    const char *text = argv[1];
    share = argc > 2 && strcmp(argv[2], "-s") == 0;
    struct tree *tree = parse(&text);
    distribute(tree);
    printf("%d\n", leaves(tree));
    return 0;
}
