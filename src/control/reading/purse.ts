// What a person lets the agents of all their projects spend in a day and in a month, and what of that is gone.

import { dayOf, monthOf } from "../../base/calendar.ts";
import { readPersonConfig } from "../../config/files/person-config.ts";
import type { Limits } from "../../domain/limits.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import { readBook, totalOf, type Book } from "../../storage/folder/person/purse/book.ts";
import type { ReadingAnswer } from "../api/readings.ts";

type PursePeriod = ReadingAnswer<"purse">["periods"][number];

/** Rejects with CONFIG where the person's settings, or their book, cannot be relied on. */
export async function readPurse(
  person: PersonFolder | undefined,
  nowMs: number,
): Promise<ReadingAnswer<"purse">> {
  const { day: ofDay = {}, month: ofMonth = {} } = (person && (await readPersonConfig(person)).limits) ?? {};
  if (!person || (isNone(ofDay) && isNone(ofMonth))) return { periods: [] };
  const book = await readBook(person);
  const today = dayOf(nowMs);
  const periods = [
    periodOf({ name: "day", limits: ofDay }, book, (day) => day === today),
    periodOf({ name: "month", limits: ofMonth }, book, (day) => monthOf(day) === monthOf(today)),
  ];
  return { periods: periods.filter(({ limits }) => !isNone(limits)) };
}

function periodOf(
  period: Pick<PursePeriod, "name" | "limits">,
  book: Book,
  isIn: (day: string) => boolean,
): PursePeriod {
  const { spent, allotted } = totalOf(book, isIn);
  return { ...period, spent, setAside: allotted };
}

function isNone(limits: Limits): boolean {
  return Object.values(limits).every((limit) => limit === undefined);
}
