// The request body of a history of 2,000 messages, beside serialising all of it and beside joining ready fragments.

import { figure, median, report, round } from "./bench.mjs";
report([]);
void [figure, median, round];
