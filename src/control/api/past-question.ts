// What every question has that can also be asked of the past.

import { z } from "zod";

export const past = {
  moment: z.iso
    .datetime()
    .optional()
    .describe("a time: what was recorded by then is shown, as it was; without it, what is there now"),
};
