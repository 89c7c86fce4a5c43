// What of a page is not for its reader: hidden parts, and the furniture of the site around the content.

import { ancestorIn, lineOf, type DomElement } from "./dom.ts";

const HIDING_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$))/i;

/**
 * Nobody sees it: text in there is often written for machines. A closed `details` and the other panels of a row of tabs are
 * one click away, and not hidden; nor is the page itself while a dialog lies over it.
 */
export function isHidden(element: DomElement, pageLength: number): boolean {
  if (element.getAttribute("role") === "tabpanel") return false;
  const hidden = element.getAttribute("hidden");
  if (hidden !== null && hidden !== "until-found") return true;
  if (HIDING_STYLE.test(element.getAttribute("style") ?? "")) return true;
  return element.getAttribute("aria-hidden") === "true" && lengthOf(element) < pageLength / 2;
}

const SITE_ROLES = new Set(
  "navigation search menu menubar toolbar alertdialog dialog contentinfo tablist tooltip".split(" "),
);
const SITE_NAMES = new Set(
  (
    "footer site-footer page-footer skip-link skiplink share share-buttons social-share ad ads ad-slot advert advertisement " +
    "adsbygoogle sponsored newsletter promo related related-posts recommendations outbrain taboola"
  ).split(" "),
);
/** So are called navigation, and the dishes of a restaurant: it depends on how much of it is links. */
const LINK_NAMES = new Set("nav navbar navigation menu topbar sidebar breadcrumb breadcrumbs".split(" "));
const HEAD_NAMES = new Set(["masthead", "site-header", "page-header", "header"]);
const CONTENT = new Set(["main", "article", "section"]);
const ASKS_CONSENT = /cookie|consent|gdpr|onetrust|didomi/i;
const CONSENT_LENGTH = 2500;

/** It belongs to the site, not to the page: navigation, consent banners, advertisements, the site's header and footer. */
export function isFurniture(element: DomElement): boolean {
  const { localName } = element;
  const role = element.getAttribute("role") ?? "";
  if (localName === "nav" || SITE_ROLES.has(role)) return true;
  if (/^advert/i.test(element.getAttribute("aria-label") ?? "")) return true;
  const names = namesOf(element);
  if (ASKS_CONSENT.test(names.join(" ")) && lengthOf(element) < CONSENT_LENGTH && !hasHeadline(element))
    return true;
  if (localName === "footer") return !ancestorIn(element, CONTENT);
  if (names.some((name) => SITE_NAMES.has(name))) return !hasHeadline(element);
  if (names.some((name) => LINK_NAMES.has(name))) return !hasHeadline(element) && isMostlyLinks(element);
  const isHead = role === "banner" || localName === "header" || names.some((name) => HEAD_NAMES.has(name));
  return isHead && !ancestorIn(element, CONTENT) && !hasHeadline(element);
}

function isMostlyLinks(element: DomElement): boolean {
  let linked = 0;
  for (const link of element.querySelectorAll("a")) linked += lineOf(link).length;
  return linked >= lineOf(element).length / 2;
}

function namesOf(element: DomElement): readonly string[] {
  const names = `${element.getAttribute("id") ?? ""} ${element.getAttribute("class") ?? ""}`;
  return names.toLowerCase().split(/\s+/).filter(Boolean);
}

function hasHeadline(element: DomElement): boolean {
  return element.querySelector("h1, main, article") !== null;
}

function lengthOf(element: DomElement): number {
  return element.textContent?.length ?? 0;
}

const MARK = /^(?:[¶§#🔗↩⏎†^\s]|\ufe0e|\ufe0f)*$/u;

/** A link that only serves to point at a place of the page, such as the `¶` behind a heading. */
export function isMark(link: DomElement): boolean {
  const href = link.getAttribute("href")?.trim() ?? "";
  return href.startsWith("#") && (MARK.test(lineOf(link)) || /^skip to /i.test(lineOf(link)));
}
