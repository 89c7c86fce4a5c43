import { goals } from "../modules/goals.ts";
import { notes } from "../modules/notes.ts";

/** The modules whose state people read in files. */
export const READABLE = [goals, notes];
