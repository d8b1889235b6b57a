-- Books, readers and loans.
PRAGMA foreign_keys = ON;

CREATE TABLE authors (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    born INTEGER CHECK (born > 0)
);

CREATE TABLE books (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    author INTEGER REFERENCES authors (id) ON DELETE CASCADE,
    year INTEGER DEFAULT 2000
);

CREATE TABLE readers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    joined TEXT DEFAULT '2020-01-01'
);

CREATE TABLE loans (
    reader INTEGER NOT NULL REFERENCES readers (id),
    book INTEGER NOT NULL REFERENCES books (id),
    due TEXT NOT NULL,
    PRIMARY KEY (reader, book)
);

CREATE INDEX books_by_title ON books (title);

CREATE VIEW late AS
    SELECT readers.name, books.title, loans.due
    FROM loans
    JOIN readers ON readers.id = loans.reader
    JOIN books ON books.id = loans.book
    WHERE loans.due < '2024-03-01';

INSERT INTO authors (id, name, born) VALUES
    (1, 'Mary Shelley', 1797),
    (2, 'Jules Verne', 1828),
    (3, 'Stanislaw Lem', 1921);

INSERT INTO books (id, title, author, year) VALUES
    (10, 'Frankenstein', 1, 1818),
    (11, 'Around the World in Eighty Days', 2, 1872),
    (12, 'Solaris', 3, 1961),
    (13, 'The Invincible', 3, 1964);

INSERT INTO readers (id, name) VALUES (1, 'Ada'), (2, 'Brian'), (3, 'Chris');

INSERT INTO loans (reader, book, due) VALUES
    (1, 10, '2024-02-01'),
    (1, 12, '2024-04-01'),
    (3, 11, '2024-01-15');

UPDATE loans SET due = '2024-05-01' WHERE reader = 1 AND book = 12;

SELECT name, count(*) AS books
FROM late
GROUP BY name
HAVING count(*) > 0
ORDER BY books DESC, name;

SELECT title, CASE WHEN year < 1900 THEN 'old' ELSE 'new' END AS age
FROM books
WHERE author IN (SELECT id FROM authors WHERE born BETWEEN 1790 AND 1900);

DELETE FROM authors WHERE name LIKE '%Verne';

SELECT count(*) FROM books;
