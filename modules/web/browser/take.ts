// What stands in a page and its frames, as one HTML text.

import { randomUUID } from "node:crypto";
import type { CDPSession } from "puppeteer";
import { COPY, FRAME_AT } from "./in-page.ts";
import { MAX_CHARACTERS, MAX_FRAME_DEPTH, MAX_FRAMES } from "./limits.ts";
import { enterWorld } from "./world.ts";

/** Some addresses are the whole page. */
const MAX_ADDRESS = 200;

export interface Taken {
  readonly url: string;
  /** As it was answered with; 0 where there was no answer. */
  readonly status: number;
  readonly html: string;
  /** Not everything is there. */
  readonly isCut: boolean;
}

/** Rejects if the page goes on to another one meanwhile. */
export async function takePage(session: CDPSession, mainFrame: string): Promise<Taken> {
  // No page knows it beforehand, so none can write it.
  const mark = `frame-${randomUUID()}`;
  let characters = MAX_CHARACTERS;
  let frames = MAX_FRAMES;
  let isCut = false;

  async function take(frameId: string, depth: number): Promise<Taken> {
    const world = await enterWorld(session, frameId);
    const copy = checkCopy(await world.call(COPY, characters, mark, depth > 0));
    characters = Math.max(0, characters - copy.html.length);
    isCut ||= copy.isCut;
    const [start = "", ...rest] = withoutAddresses(copy.html).split(`<!--${mark}`);
    const parts = [start];
    for (const [index, part] of rest.entries()) {
      const frame = await world.frameOf(FRAME_AT, index);
      if (frame !== undefined) parts.push(await takeFrame(frame, depth + 1));
      parts.push(part.slice(part.indexOf("-->") + 3));
    }
    return { ...copy, html: parts.join("") };
  }

  async function takeFrame(frameId: string, depth: number): Promise<string> {
    if (depth > MAX_FRAME_DEPTH || frames-- <= 0) {
      isCut = true;
      return "";
    }
    try {
      const { url, status, html } = await take(frameId, depth);
      // What the browser itself says of a frame that it could not load is no part of the page.
      return status < 400 && !url.startsWith("chrome-error:") ? inElement(mark, url, html) : "";
    } catch {
      // It is gone, or has gone on to another page: the rest of the page stands.
      isCut = true;
      return "";
    }
  }

  const page = await take(mainFrame, 0);
  return { ...page, isCut };
}

/** Only here is it said of a part of the page where it comes from. In texts, the reference is what it stands for. */
function withoutAddresses(html: string): string {
  return html.replace(/data-(?=frame)/gi, (start) => start.replace("-", "&#45;"));
}

/** Nothing in a frame can close the element that it stands in, whatever it is taken for: its name is not known there. */
function inElement(name: string, url: string, html: string): string {
  const address = url.slice(0, MAX_ADDRESS).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<${name} data-frame="${address.replaceAll("<", "&lt;")}">${html}</${name}>`;
}

/** The page is hostile, and what holds its world together is a program with bugs of its own. */
function checkCopy(copy: unknown): Taken {
  const { url, status, html, isCut } = (copy ?? {}) as Partial<Taken>;
  if (typeof url !== "string" || typeof html !== "string") throw new Error("The page gave no text.");
  return { url, status: Number(status), html, isCut: isCut === true };
}
