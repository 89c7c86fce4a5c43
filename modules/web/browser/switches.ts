// How the browser is started. Every switch here is for a browser that nobody looks at and that trusts no page.

import { MAX_SCRIPT_MEGABYTES } from "./limits.ts";

/** Nothing listens there: what does not belong to a read, and so has no proxy of its own, gets nowhere. */
const NOWHERE = "http://127.0.0.1:9";

const FEATURES_OFF = [
  // A page comes from where it was fetched, over http too.
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  // All frames of a page are in one process: less memory, and a context holds nothing of another site to protect.
  "IsolateOrigins",
  "site-per-process",
  "IsolateSandboxedIframes",
  "OriginKeyedProcessesByDefault",
  // Conversations of the browser's own, some of which would go through the proxy of whichever page is open.
  "AimServerEligibilityEnabled",
  "AimServerRequestOnStartupEnabled",
  "MediaRouter",
  "OptimizationHints",
  "PreconnectFromKeyedService",
  "PreconnectToSearch",
  "Translate",
];

/** @param folder its own, for everything it writes */
export function switchesFor(folder: string): readonly string[] {
  return [
    "--remote-debugging-pipe",
    `--user-data-dir=${folder}`,
    "--headless=new",
    "--no-startup-window",
    "--window-size=1280,2000",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),

    `--proxy-server=${NOWHERE}`,
    // Without it the browser goes to loopback addresses past the proxy.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // Its name in older ones.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",

    "--disable-site-isolation-trials",
    `--disable-features=${FEATURES_OFF.join(",")}`,
    // Nobody sees them, and they are most of what pages load.
    "--blink-settings=imagesEnabled=false",
    `--js-flags=--max-old-space-size=${MAX_SCRIPT_MEGABYTES}`,
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--mute-audio",
    "--hide-scrollbars",

    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-hang-monitor",
    "--disable-notifications",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
  ];
}
