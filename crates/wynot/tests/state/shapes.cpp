// Adds up areas; a shape without sides has none, and nobody checks.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

class Shape {
public:
    explicit Shape(const std::string &name) : name(name) {}
    virtual ~Shape() {}
    virtual int area() const = 0;
    std::string name;
};

class Square : public Shape {
public:
    explicit Square(int side) : Shape("square"), side(side) {}
    int area() const override { return side * side; }
private:
    int side;
};

class Ring : public Shape {
public:
    Ring(int outer, int inner) : Shape("ring"), outer(outer), inner(inner) {}
    int area() const override { return 100 * outer / inner; }
private:
    int outer;
    int inner;
};

static int total(const std::vector<Shape *> &shapes)
{
    int sum = 0;
    for (const Shape *shape : shapes)
        sum += shape->area();
    return sum;
}

int main(int argc, char *argv[])
{
    std::vector<Shape *> shapes;
    for (int i = 1; i < argc; i++) {
        int size = std::atoi(argv[i]);
        if (size > 10)
            shapes.push_back(new Ring(size, size - 11));
        else
            shapes.push_back(new Square(size));
    }
    std::printf("%d\n", total(shapes));
    return 0;
}
