// Widgets on a screen, and a dialog that hides a function of its base.

namespace ui {

struct Point {
    int x = 0;
    int y = 0;

    Point operator+(const Point &other) const { return Point{x + other.x, y + other.y}; }
};

struct Size {
    int width = 0;
    int height = 0;
    bool empty() const { return width <= 0 || height <= 0; }
};

template <typename T, unsigned N>
class Fixed {
public:
    bool add(const T &value)
    {
        if (used_ == N)
            return false;
        items_[used_++] = value;
        return true;
    }

    const T *begin() const { return items_; }
    const T *end() const { return items_ + used_; }
    unsigned count() const { return used_; }

private:
    T items_[N] = {};
    unsigned used_ = 0;
};

enum class Key { Up, Down, Enter, Escape };

class Canvas {
public:
    virtual ~Canvas() = default;
    virtual void fill(Point at, Size size, unsigned colour) = 0;
    virtual void text(Point at, const char *words) = 0;
};

class Widget {
public:
    virtual ~Widget() = default;

    virtual void draw(Canvas &canvas) const { canvas.fill(at_, size_, colour_); }
    virtual bool press(Key key)
    {
        return key == Key::Escape && close();
    }
    virtual bool close() { return !size_.empty(); }

    void move(Point by) { at_ = at_ + by; }
    Point at() const { return at_; }

protected:
    Point at_;
    Size size_;
    unsigned colour_ = 0xffffffu;
};

class Label : public Widget {
public:
    explicit Label(const char *words) : words_(words) {}

    void draw(Canvas &canvas) const override
    {
        Widget::draw(canvas);
        canvas.text(at_, words_);
    }

private:
    const char *words_;
};

template <unsigned N>
class Menu : public Widget {
public:
    bool add(const char *entry) { return entries_.add(entry); }

    void draw(Canvas &canvas) const override
    {
        Point line = at_;
        for (const char *entry : entries_) {
            canvas.text(line, entry);
            line = line + Point{0, 12};
        }
    }

    bool press(Key key) override
    {
        switch (key) {
        case Key::Up:
            chosen_ = chosen_ == 0 ? 0 : chosen_ - 1;
            return true;
        case Key::Down:
            if (chosen_ + 1 < entries_.count())
                chosen_++;
            return true;
        default:
            return Widget::press(key);
        }
    }

private:
    Fixed<const char *, N> entries_;
    unsigned chosen_ = 0;
};

class Dialog : public Menu<4> {
public:
    Dialog(const char *yes, const char *no)
    {
        add(yes);
        add(no);
    }

    bool close(int answer)
    {
        answer_ = answer;
        return answer != 0;
    }

    int answer() const { return answer_; }

private:
    int answer_ = -1;
};

} // namespace ui

int ask(ui::Canvas &canvas)
{
    ui::Dialog dialog("yes", "no");
    ui::Label label("Really?");
    label.move(ui::Point{4, 4});
    label.draw(canvas);
    dialog.draw(canvas);
    dialog.close(1);
    return dialog.answer();
}
