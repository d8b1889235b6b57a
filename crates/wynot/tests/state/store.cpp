// An expression whose nodes lie in a vector of bytes, and are found by typed pointers. A division by its own
// negation is a division by zero.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

struct Node {
    char op;
    int value;
    Node *left, *right;
};

class Store {
    std::vector<unsigned char> bytes;
    std::size_t used = 0;

public:
    Store() : bytes(4096) {}

    Node *make(char op, int value, Node *left, Node *right)
    {
        Node *node = new (bytes.data() + used) Node{op, value, left, right};
        used += sizeof *node;
        return node;
    }
};

static int evaluate(const Node *node)
{
    switch (node->op) {
    case '+':
        return evaluate(node->left) + evaluate(node->right);
    case '/':
        return evaluate(node->left) / evaluate(node->right);
    default:
        return node->value;
    }
}

static int run(const Node *root)
{
    return evaluate(root);
}

int main(int, char **argv)
{
    Store store;
    int number = std::atoi(argv[1]);
    Node *divisor = store.make('+', 0, store.make('n', 4, nullptr, nullptr),
                               store.make('n', number, nullptr, nullptr));
    Node *root = store.make('/', 0, store.make('n', 12, nullptr, nullptr), divisor);
    std::printf("%d\n", run(root));
    return 0;
}
