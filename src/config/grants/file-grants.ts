// What the project's config.yaml widens.

import { createHash } from "node:crypto";
import type { RedisAddress } from "../../storage/redis/connection/address.ts";
import { findModel } from "../../model/registry/profiles.ts";
import type { Price } from "../../domain/model.ts";
import type { FileSettings } from "../files/config-schema.ts";
import { entries, shownValue, single, within, type OwnBounds, type Widening } from "./grant.ts";
import { programValue } from "./program.ts";
import { laxLimits, wideEnvironment, widePolicy } from "./widenings.ts";

/** `project`: real path. What further settings widen is a further line. */
export async function fileWidenings(
  file: FileSettings,
  bounds: OwnBounds,
  project: string,
): Promise<readonly Widening<FileSettings>[]> {
  const { agent, legion } = bounds.limits;
  const browser = file.web?.browser ?? "off";
  const program = browser === "off" ? "" : await programValue(browser, project);
  return [
    ...within(file, "bus", (bus) =>
      bus.kind === "memory"
        ? []
        : single(addressValue(bus.address), `join the legion at ${bus.address.shown}`),
    ),
    ...within(file, "limits", (limits) => [
      ...within(limits, "agent", (choice) => laxLimits(choice, agent, "for each agent")),
      ...within(limits, "legion", (choice) => laxLimits(choice, legion, "for all together")),
    ]),
    ...within(file, "policy", (policy) => widePolicy(policy, bounds, "its agents")),
    ...within(file, "environment", (environment) => wideEnvironment(environment, "its agents")),
    ...within(file, "models", modelWidenings),
    ...within(file, "providers", (providers) =>
      (["anthropic", "openai"] as const).flatMap((name) =>
        within(providers, name, (provider) => baseUrl(provider, name)),
      ),
    ),
    ...within(file, "web", (web) => [
      ...within(web, "allowPrivate", (places) =>
        entries(places, (place) => `let its agents reach ${place}, which is not public`),
      ),
      ...within(web, "browser", (path) =>
        path === "off" ? [] : single<string>(program, `run the browser ${path}`),
      ),
      ...within(web, "search", (search) =>
        within(search, "url", (url) => single<string>(url, `send searches to ${shownValue(url)}`)),
      ),
    ]),
  ];
}

/** It may hold a password. */
function addressValue(address: RedisAddress): string {
  return `${address.shown} sha256:${createHash("sha256").update(JSON.stringify(address)).digest("hex")}`;
}

type Models = NonNullable<FileSettings["models"]>;

function modelWidenings(models: Models): readonly Widening<Models>[] {
  return Object.keys(models).flatMap((name) =>
    within(models, name, (model) =>
      within(model, "price", (price) => {
        const own = findModel(name).profile.price;
        const { input, output } = price;
        const instead = own ? `${own.input} and ${own.output}` : "a price that nobody knows";
        const says = `count ${name} at ${input} and ${output} USD per million tokens in place of ${instead}`;
        return isCheaper(price, own) ? single<typeof price>(JSON.stringify(price), says) : [];
      }),
    ),
  );
}

/** What nobody knows the price of is limited otherwise. */
function isCheaper(price: Price, own: Price | undefined): boolean {
  if (!own) return true;
  const cached = (of: Price): number => of.cacheRead ?? of.input;
  const written = (of: Price): number => of.cacheWrite ?? of.input;
  return (
    price.input < own.input ||
    price.output < own.output ||
    cached(price) < cached(own) ||
    written(price) < written(own)
  );
}

function baseUrl<Provider extends { readonly baseUrl?: string }>(
  provider: Provider,
  name: string,
): readonly Widening<Provider>[] {
  return within(provider, "baseUrl", (url) =>
    single<NonNullable<Provider["baseUrl"]>>(url, `send requests for ${name} to ${shownValue(url)}`),
  );
}
