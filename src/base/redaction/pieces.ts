import { MIN_SECRET } from "./forms.ts";
import { joinLines, type SecretSearch } from "./search.ts";

/** A text that comes in pieces. */
export interface Pieces {
  /** What can be shown now; may be empty. */
  add(piece: string): string;
  /** What is left of it; it may begin anew. */
  end(): string;
}

interface Forms {
  readonly search: SecretSearch;
  readonly forms: readonly string[];
  /** Hides what is whole. */
  readonly clean: (text: string) => string;
}

/** Prepares for any number of such texts. */
export function preparePieces({ search, forms, clean }: Forms): () => Pieces {
  const byFirst = new Map<string, string[]>();
  for (const form of forms) byFirst.set(form[0]!, [...(byFirst.get(form[0]!) ?? []), form]);
  const longest = Math.max(...forms.map(({ length }) => length));
  /** Where the first form begins that `text` does not hold to its end; its length if there is none. */
  const firstOpen = (text: string): number => {
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
      const rest = text.slice(at);
      const begun = byFirst
        .get(text[at]!)
        ?.some((form) => form.length > rest.length && form.startsWith(rest));
      if (begun) return at;
    }
    return text.length;
  };
  return () => {
    let held = "";
    return {
      add(piece) {
        const all = held + piece;
        // It may be the first half of a line's end.
        const text = all.endsWith("\r") ? all.slice(0, -1) : all;
        const joined = joinLines(text);
        const open = joined
          ? Math.min(joined.before(firstOpen(joined.text)), firstOpen(text))
          : firstOpen(text);
        const cut = settled(text, open, search);
        held = all.slice(cut);
        return clean(text.slice(0, cut));
      },
      end() {
        const text = held;
        held = "";
        return clean(text);
      },
    };
  };
}

/** `open`, or where a secret begins that reaches past it: what overlaps is hidden as one. */
function settled(text: string, open: number, search: SecretSearch): number {
  if (open === text.length || text.length < MIN_SECRET) return open;
  const across = search(text).find(({ start, end }) => start < open && end > open);
  return across ? across.start : open;
}
