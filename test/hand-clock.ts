import { createHandClock as create, type HandClock as Clock } from "../src/testing/hand-clock.ts";

export type HandClock = Clock;
export const createHandClock = create;
