// Stores of notes: in memory, in the browser, and one that looks into several.

type Id = string;
type Listener = (id: Id, note?: Note) => void;

interface Note {
  readonly id: Id;
  title: string;
  tags: string[];
  due?: Date;
}

interface Page {
  notes: Note[];
  next: Id | null;
}

interface Store {
  get(id: Id): Promise<Note | undefined>;
  put(note: Note): Promise<void>;
  list(tag: string, from?: Id): Promise<Page>;
  watch(listener: Listener): () => void;
}

interface Backend {
  read(key: string): string | null;
  write(key: string, text: string): void;
}

class Watched {
  private listeners: Set<Listener> = new Set();

  watch(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  protected tell(id: Id, note?: Note): void {
    for (const listener of this.listeners) {
      listener(id, note);
    }
  }
}

class LocalStorage implements Backend {
  constructor(private prefix: string) {}

  read(key: string): string | null {
    return window.localStorage.getItem(this.prefix + key);
  }

  write(key: string, text: string): void {
    window.localStorage.setItem(this.prefix + key, text);
  }
}

class StoreIn<B> implements Store {
  private known: Map<Id, Note> = new Map();

  constructor(private backend: B, private limit = 20) {}

  async get(id: Id): Promise<Note | undefined> {
    if (!this.known.has(id)) {
      const text = this.backend.read(id);
      if (text !== null) {
        this.known.set(id, JSON.parse(text) as Note);
      }
    }
    return this.known.get(id);
  }

  async put(note: Note): Promise<void> {
    this.known.set(note.id, note);
    this.backend.write(note.id, JSON.stringify(note));
  }

  async list(tag: string, from?: Id): Promise<Page> {
    const found = [...this.known.values()].filter((note) => note.tags.includes(tag));
    const start = from ? found.findIndex((note) => note.id === from) : 0;
    const notes = found.slice(start, start + this.limit);
    return { notes, next: found[start + this.limit]?.id ?? null };
  }
}

class Several extends Watched implements Backend {
  constructor(private backends: Backend[]) {
    super();
  }

  read(key: string): string | null {
    for (const backend of this.backends) {
      const text = backend.read(key);
      if (text !== null) {
        return text;
      }
    }
    return null;
  }

  write(key: string, text: string): void {
    this.backends.forEach((backend) => backend.write(key, text));
    this.tell(key);
  }
}

export function open(user: string): Store {
  const backends = [new LocalStorage(`${user}/`), new LocalStorage('shared/')];
  return new StoreIn<Several>(new Several(backends));
}
