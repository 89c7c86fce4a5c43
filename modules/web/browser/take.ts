// What stands in a page and its frames, as HTML.

import type { CDPSession } from "puppeteer";
import type { Framed } from "../document.ts";
import { COPY, FRAME_AT } from "./in-page.ts";
import { MAX_CHARACTERS, MAX_FRAME_DEPTH, MAX_FRAMES } from "./limits.ts";
import { enterWorld } from "./world.ts";

/** Some addresses are the whole page. */
const MAX_ADDRESS = 200;

export interface Taken extends Framed {
  /** As it was answered with; 0 where there was no answer. */
  readonly status: number;
  /** Not everything is there. */
  readonly isCut: boolean;
}

/** Rejects if the page goes on to another one meanwhile. */
export async function takePage(session: CDPSession, mainFrame: string): Promise<Taken> {
  let characters = MAX_CHARACTERS;
  let left = MAX_FRAMES;
  let isCut = false;

  async function take(frameId: string, depth: number): Promise<Taken> {
    const world = await enterWorld(session, frameId);
    const copy = checkCopy(await world.call(COPY, characters, depth > 0));
    characters = Math.max(0, characters - copy.html.length);
    isCut ||= copy.isCut;
    const frames: (Framed | undefined)[] = [];
    for (let index = 0; index < copy.frames; index++) {
      const frame = await world.frameOf(FRAME_AT, index);
      frames.push(frame === undefined ? undefined : await takeFrame(frame, depth + 1));
    }
    return { ...copy, frames };
  }

  async function takeFrame(frameId: string, depth: number): Promise<Framed | undefined> {
    if (depth > MAX_FRAME_DEPTH || left-- <= 0) {
      isCut = true;
      return undefined;
    }
    try {
      const { url, status, html, frames } = await take(frameId, depth);
      // What the browser itself says of a frame that it could not load is no part of the page.
      if (status >= 400 || url.startsWith("chrome-error:")) return undefined;
      return { url: url.slice(0, MAX_ADDRESS), html, frames };
    } catch {
      // It is gone, or has gone on to another page: the rest of the page stands.
      isCut = true;
      return undefined;
    }
  }

  const page = await take(mainFrame, 0);
  return { ...page, isCut };
}

interface Copy extends Omit<Taken, "frames"> {
  readonly frames: number;
}

/** The page is hostile, and what holds its world together is a program with bugs of its own. */
function checkCopy(copy: unknown): Copy {
  const { url, status, html, frames, isCut } = (copy ?? {}) as Partial<Copy>;
  if (typeof url !== "string" || typeof html !== "string") throw new Error("The page gave no text.");
  return { url, status: Number(status), html, frames: Number(frames), isCut: isCut === true };
}
