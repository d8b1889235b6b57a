/* A calculator for lines such as "3 4 + 2 *", with a few commands. */

#include <stddef.h>
#include <string.h>

#define DEPTH 32

enum token { NUMBER, PLUS, MINUS, TIMES, DIVIDE, COMMAND, END, WRONG };

struct lexer {
    const char *text;
    size_t at;
    long value;
    char word[16];
};

struct stack {
    long items[DEPTH];
    size_t used;
    int overflow;
};

struct machine {
    struct stack stack;
    struct lexer lexer;
    long memory;
    unsigned errors;
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void push(struct stack *stack, long value)
{
    if (stack->used == DEPTH) {
        stack->overflow = 1;
        return;
    }
    stack->items[stack->used++] = value;
}

static long pop(struct stack *stack)
{
    if (stack->used == 0) {
        stack->overflow = -1;
        return 0;
    }
    return stack->items[--stack->used];
}

static enum token read_number(struct lexer *lexer)
{
    lexer->value = 0;
    while (is_digit(lexer->text[lexer->at])) {
        lexer->value = 10 * lexer->value + (lexer->text[lexer->at] - '0');
        lexer->at++;
    }
    return NUMBER;
}

static enum token read_word(struct lexer *lexer)
{
    size_t length = 0;
    while (is_letter(lexer->text[lexer->at])) {
        if (length + 1 < sizeof lexer->word)
            lexer->word[length++] = lexer->text[lexer->at];
        lexer->at++;
    }
    lexer->word[length] = '\0';
    return COMMAND;
}

static enum token next(struct lexer *lexer)
{
    while (lexer->text[lexer->at] == ' ' || lexer->text[lexer->at] == '\t')
        lexer->at++;
    char c = lexer->text[lexer->at];
    if (is_digit(c))
        return read_number(lexer);
    if (is_letter(c))
        return read_word(lexer);
    if (c == '\0')
        return END;
    lexer->at++;
    switch (c) {
    case '+':
        return PLUS;
    case '-':
        return MINUS;
    case '*':
        return TIMES;
    case '/':
        return DIVIDE;
    default:
        return WRONG;
    }
}

static void command(struct machine *machine, const char *word)
{
    if (strcmp(word, "drop") == 0) {
        pop(&machine->stack);
    } else if (strcmp(word, "store") == 0) {
        machine->memory = pop(&machine->stack);
    } else if (strcmp(word, "recall") == 0) {
        push(&machine->stack, machine->memory);
    } else {
        machine->errors++;
    }
}

static void step(struct machine *machine, enum token token)
{
    struct stack *stack = &machine->stack;
    long right;
    switch (token) {
    case NUMBER:
        push(stack, machine->lexer.value);
        break;
    case PLUS:
        right = pop(stack);
        push(stack, pop(stack) + right);
        break;
    case MINUS:
        right = pop(stack);
        push(stack, pop(stack) - right);
        break;
    case TIMES:
        right = pop(stack);
        push(stack, pop(stack) * right);
        break;
    case DIVIDE:
        right = pop(stack);
        if (right == 0) {
            machine->errors++;
        } else {
            push(stack, pop(stack) / right);
        }
    case COMMAND:
        command(machine, machine->lexer.word);
        break;
    default:
        machine->errors++;
        break;
    }
}

long calculate(const char *line, unsigned *errors)
{
    struct machine machine = {0};
    enum token token;
    machine.lexer.text = line;
    while ((token = next(&machine.lexer)) != END)
        step(&machine, token);
    if (machine.stack.overflow || machine.stack.used != 1)
        machine.errors++;
    *errors = machine.errors;
    return pop(&machine.stack);
}
