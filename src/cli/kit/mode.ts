// How a person watches over agents, in words.

import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import { MODES, type Mode } from "../../domain/supervision.ts";

/** What holds from now on, in each. */
export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  usual: "what is asked is as the policy says",
  confirm: "each call with effects asks you",
  yolo: "nothing asks you; what is forbidden stays so",
  human: "you say the calls, and no model is asked",
  held: "each call with effects asks you, and what it says to others waits until you switch",
};

/** Throws USAGE. */
export function readMode(word: string): Mode {
  const mode = MODES.find((known) => known === word);
  if (mode) return mode;
  const [meant] = nearest(word, MODES);
  const advice = meant ? `did you mean ${meant}?` : `write ${MODES.join(", ")}`;
  throw new LegionError("USAGE", `${JSON.stringify(word.slice(0, 100))} is no mode; ${advice}`);
}
