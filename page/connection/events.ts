// Server-sent events, read piece by piece.

export interface Sent {
  /** Where to go on from; empty: as before. */
  readonly id: string;
  readonly data: string;
}

/** Takes what arrived and gives what it completes. What only keeps the connection alive completes nothing. */
export function createEventParser(): (piece: string) => readonly Sent[] {
  let rest: string[] = [];
  let id = "";
  let lines: string[] = [];
  return (piece) => {
    if (!piece.includes("\n")) {
      rest.push(piece);
      return [];
    }
    const complete = (rest.join("") + piece).split("\n");
    rest = [complete.pop()!];
    const sent: Sent[] = [];
    for (const line of complete.map((text) => text.replace(/\r$/, ""))) {
      if (line === "") {
        if (lines.length > 0) sent.push({ id, data: lines.join("\n") });
        [id, lines] = ["", []];
      } else if (line.startsWith("data:")) lines.push(line.slice(5).replace(/^ /, ""));
      else if (line.startsWith("id:")) id = line.slice(3).trim();
    }
    return sent;
  };
}
