// Where the line editor writes to: the screen, a frame that is being put together, or nowhere.

import { Writable } from "node:stream";

export interface EditorOutput {
  readonly stream: NodeJS.WritableStream;
  /** What the editor writes from now on is lost: is it? */
  isLost(): boolean;
  lose(): void;
  /** It is written to the screen once more. */
  pass(): void;
  /** What the editor writes while it draws. */
  capture(draw: () => void): string;
}

/** @param columns how wide the screen is at this moment */
export function createEditorOutput(screen: NodeJS.WritableStream, columns: () => number): EditorOutput {
  let way: "screen" | "frame" | "nowhere" = "screen";
  let frame = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      if (way === "screen") screen.write(chunk);
      else if (way === "frame") frame += chunk;
      done();
    },
  });
  Object.defineProperties(stream, { columns: { get: columns }, isTTY: { value: true } });
  return {
    stream,
    isLost: () => way === "nowhere",
    lose: () => void (way = "nowhere"),
    pass: () => void (way = "screen"),
    capture(draw) {
      frame = "";
      way = "frame";
      draw();
      way = "screen";
      return frame;
    },
  };
}
