/** The scenarios that come with adsim: plays one in this world. */

import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import type { PlayResult } from "../../play/player/result.ts";
import type { Api } from "./api.ts";
import { textOf } from "./fields.ts";
import type { ViewProps } from "./log.ts";
import { ActionButton, Facts, type Part, Table, useLoaded, Waiting } from "./parts.ts";
import { go, usePlace } from "./place.ts";

interface Listing {
  readonly scenarios: readonly { readonly name: string; readonly about: string }[];
}

export function ScenariosSection({ api }: ViewProps): Part {
  const { scenario: search = "" } = usePlace();
  const loaded = useLoaded(() => api.get<Listing>("scenarios"), [api]);
  const [result, setResult] = useState<PlayResult>();
  const [playing, setPlaying] = useState<string>();
  const play = async (name: string): Promise<void> => {
    setPlaying(name);
    setResult(undefined);
    try {
      setResult(await api.send<PlayResult>("POST", "scenarios/play", { name }));
    } finally {
      setPlaying(undefined);
    }
  };
  const found = (loaded.value?.scenarios ?? []).filter(({ name, about }) =>
    `${name} ${about}`.toLowerCase().includes(search.toLowerCase()),
  );
  return html`
    <p>When the play ends, its state replaces this world's.</p>
    <input type="search" aria-label="Search" placeholder="Search scenarios" value=${search}
      onInput=${(event: Event) => go({ scenario: textOf(event) }, "replace")} />
    ${playing !== undefined && html`<${Progress} api=${api} name=${playing} />`}
    ${result !== undefined && html`<${Result} result=${result} />`}
    <${Waiting} loaded=${loaded} />
    ${found.map(
      ({ name, about }) => html`<div class="point" key=${name}>
        <b>${name}</b> <${ActionButton} label="play" question="play, and replace this world?" act=${() => play(name)} />
        <div class="quiet">${about}</div>
      </div>`,
    )}`;
}

interface Playing {
  readonly playing: {
    readonly step: number;
    readonly steps: number;
    readonly requests: number;
  } | null;
}

const ASK_EVERY_MS = 300;

function Progress({ api, name }: { readonly api: Api; readonly name: string }): Part {
  const loaded = useLoaded(() => api.get<Playing>("scenarios/play"), [api]);
  useEffect(() => {
    const timer = setTimeout(loaded.reload, ASK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [loaded.value, loaded.error]);
  const { step = 0, steps = 1, requests = 0 } = loaded.value?.playing ?? {};
  return html`<p class="notice">Playing <b>${name}</b>: step ${step} of ${steps}, ${requests} requests${" "}
    <progress max=${steps} value=${step} aria-label="Steps played" /></p>`;
}

/** Such as `35 held, 9 had nothing to check`. */
function invariantsText(invariants: PlayResult["invariants"]): string {
  const words = { held: "held", broken: "broken", unknown: "had nothing to check" };
  return Object.entries(words)
    .map(([verdict, word]) => [invariants.filter((one) => one.verdict === verdict).length, word])
    .filter(([count]) => count !== 0)
    .map((one) => one.join(" "))
    .join(", ");
}

function Result({ result }: { readonly result: PlayResult }): Part {
  const { scenario, verdict, why, steps, invariants, digest, reproduce } = result;
  const failed = [
    ...steps.flatMap(({ title, checks }) =>
      checks
        .filter((check) => check.verdict !== "held")
        .map((check) => [title, check.about, check.expected, check.found]),
    ),
    ...invariants
      .filter((one) => one.verdict === "broken")
      .map(({ id, says, why: found = "" }) => [id, says, "held", found]),
  ];
  return html`<section class="notice" role="status">
    <h3>${scenario.name}: ${verdict}</h3>
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
