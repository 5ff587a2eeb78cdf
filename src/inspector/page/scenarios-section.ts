/** The scenarios that come with adsim: plays one in this world. */

import { html } from "htm/preact";
import type { PlayResult } from "../../play/player/result.ts";
import type { Api } from "./api.ts";
import { textOf } from "./fields.ts";
import { useLoaded, usePolling } from "./loading.ts";
import type { ViewProps } from "./log.ts";
import { type OwnPlay, startPlay, useOwnPlay } from "./own-play.ts";
import { Facts, type Part, PressButton, Problem, Table, Waiting } from "./parts.ts";
import { go, usePlace } from "./place.ts";

interface Listing {
  readonly scenarios: readonly { readonly name: string; readonly about: string }[];
}

export function ScenariosSection({ api }: ViewProps): Part {
  const { scenario: search = "" } = usePlace();
  const loaded = useLoaded(() => api.get<Listing>("scenarios"), [api]);
  const own = useOwnPlay(api);
  const playing = usePlaying(api, own);
  const found = (loaded.value?.scenarios ?? []).filter(({ name, about }) =>
    `${name} ${about}`.toLowerCase().includes(search.toLowerCase()),
  );
  return html`
    <p>When the play ends, its state replaces this world's.</p>
    <input type="search" aria-label="Search" placeholder="Search scenarios" value=${search}
      onInput=${(event: Event) => go({ scenario: textOf(event) }, "replace")} />
    ${playing !== undefined && html`<${Progress} ...${playing} />`}
    ${own?.result !== undefined && html`<${Result} played=${own.result} />`}
    <${Problem} error=${own?.error} />
    <${Waiting} loaded=${loaded} />
    ${found.map(
      ({ name, about }) => html`<div class="point" key=${name}>
        <b>${name}</b> <${PressButton} label="play" question="play, and replace this world?"
          isBusy=${playing !== undefined} onPress=${() => startPlay(api, name)} />
        <div class="quiet">${about}</div>
      </div>`,
    )}`;
}

interface Playing {
  /** Null for a scenario that was sent as a whole. */
  readonly name: string | null;
  readonly step: number;
  readonly steps: number;
  readonly requests: number;
}

const FOLLOW_MS = 300;
/** A play may begin elsewhere. */
const ASK_EVERY_MS = 2000;

/** The play that runs in the world, whoever started it. */
function usePlaying(api: Api, own: OwnPlay | undefined): Playing | undefined {
  const isOwn = own?.isRunning === true;
  const loaded = useLoaded(() => api.get<{ playing: Playing | null }>("scenarios/play"), [api], {
    version: isOwn,
  });
  // The server may not have begun yet.
  const begun = isOwn ? { name: own.name, step: 0, steps: 1, requests: 0 } : undefined;
  const playing = loaded.value?.playing ?? begun;
  usePolling(loaded, playing === undefined ? ASK_EVERY_MS : FOLLOW_MS);
  return playing;
}

function Progress({ name, step, steps, requests }: Playing): Part {
  return html`<p class="notice">Playing <b>${name ?? "a scenario"}</b>: step ${step} of ${steps}, ${requests} requests${" "}
    <progress max=${steps} value=${step} aria-label="Steps played" /></p>`;
}

/** Such as `35 held, 9 had nothing to check`. */
function invariantsText(invariants: PlayResult["invariants"]): string {
  const words = { passed: "passed", failed: "failed", undecided: "had nothing to check" };
  return Object.entries(words)
    .map(([result, word]) => [invariants.filter((one) => one.result === result).length, word])
    .filter(([count]) => count !== 0)
    .map((one) => one.join(" "))
    .join(", ");
}

function Result({ played }: { readonly played: PlayResult }): Part {
  const { scenario, result, why, steps, invariants, digest, reproduce } = played;
  const failed = [
    ...steps.flatMap(({ title, checks }) =>
      checks
        .filter((check) => check.result !== "passed")
        .map((check) => [title, check.about, check.expected, check.found]),
    ),
    ...invariants
      .filter((one) => one.result === "failed")
      .map(({ id, says, why: found = "" }) => [id, says, "passed", found]),
  ];
  return html`<section class="notice">
    <h3>${scenario.name}: ${result}</h3>
    <${Facts} facts=${[
      ["Why", why],
      ["Steps", `${steps.length}`],
      ["Invariants", invariantsText(invariants)],
      ["Digest", digest],
      ["Again", html`<code>${reproduce}</code>`],
    ]} />
    ${failed.length > 0 && html`<${Table} label="What didn't hold" head=${["step", "what", "expected", "found"]} rows=${failed} />`}
  </section>`;
}
