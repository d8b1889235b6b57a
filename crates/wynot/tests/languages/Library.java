package org.example.library;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Books, who has them, and letters to those who are late. */
public class Library {
    enum Shelf { NOVELS, SCIENCE, CHILDREN }

    static class Book {
        private final String title;
        private final Shelf shelf;
        private int loans = 0;

        Book(String title, Shelf shelf) {
            this.title = title;
            this.shelf = shelf;
        }

        boolean isOn(Shelf wanted) {
            return shelf == wanted;
        }
    }

    static class Loan {
        final Book book;
        final String reader;
        final LocalDate due;

        Loan(Book book, String reader, LocalDate due) {
            this.book = book;
            this.reader = reader;
            this.due = due;
        }

        boolean late(LocalDate today) {
            return today.isAfter(due);
        }
    }

    private final List<Book> books = new ArrayList<>();
    private final Map<String, Loan> loans = new HashMap<>();

    public Book add(String title, Shelf shelf) {
        Book book = new Book(title, shelf);
        books.add(book);
        return book;
    }

    public List<String> titles(Shelf shelf) {
        return books.stream()
            .filter(book -> book.isOn(shelf))
            .map(book -> book.title)
            .sorted()
            .collect(Collectors.toList());
    }

    public boolean lend(Book book, String reader, LocalDate today) {
        if (loans.containsKey(book.title)) {
            return false;
        }
        LocalDate due = today.plusDays(book.isOn(Shelf.NOVELS) ? 28 : 14);
        loans.put(book.title, new Loan(book, reader, due));
        book.loans++;
        return true;
    }

    public Map<String, Integer> letters(LocalDate today, int fee) {
        Map<String, Integer> owed = new HashMap<>();
        int days = 0;
        for (Loan loan : loans.values()) {
            if (!loan.late(today)) {
                continue;
            }
            days = Math.max(1, today.compareTo(loan.due));
            owed.computeIfAbsent(loan.reader, reader -> 0);
            owed.computeIfPresent(loan.reader, (reader, sum) -> {
                int more = fee * days;
                return sum + Math.min(more, 2000);
            });
        }
        return owed;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        loans.forEach((title, loan) -> text.append(title).append(": ").append(loan.reader));
        try {
            return text.toString().trim();
        } finally {
            System.out.println(books.size() + " books");
        }
    }
}
