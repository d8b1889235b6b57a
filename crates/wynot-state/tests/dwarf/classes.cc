#include <cstdio>
#include <string>
#include <vector>

namespace ns {
struct Base {
    int b;
    virtual ~Base() {}
    virtual int get() const { return b; }
};

class Derived : public Base {
public:
    Derived(int x) : value(x) {
        b = x;
        total += x;
    }
    int get() const override { return value + b; }
    static int total;
    struct Inner {
        char c;
    };
    Inner inner;

private:
    int value;
};

int Derived::total = 5;

template <typename T> T twice(T x) { return x + x; }

namespace {
int hidden(int q) {
    static long counter = 4;
    return q + counter++;
}
}
}

struct Virtual : virtual ns::Base {
    int v;
};

enum class Color : unsigned char { Red, Green };

int reference(const ns::Derived &d, ns::Derived &&r) { return d.get() + r.get(); }

ns::Derived::Inner ns::Derived::*pointer;

int main() {
    ns::Derived d(3);
    std::vector<int> v{1, 2, 3};
    std::string s = "hello";
    Color c = Color::Green;
    Virtual vb;
    vb.v = 3;
    pointer = nullptr;
    std::printf("%d %d %zu %d %s\n", reference(d, ns::Derived(4)), ns::twice(4), v.size(),
                ns::hidden(3) + (int)c + vb.v, s.c_str());
    return 0;
}
