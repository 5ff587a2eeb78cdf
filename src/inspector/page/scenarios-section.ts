/** The scenarios that come with adsim: plays one in this world. */

import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import type { PlayResult } from "../../play/player/result.ts";
import { textOf } from "./fields.ts";
import { isRow, type ViewProps } from "./log.ts";
import { ActionButton, Facts, type Part, Table, useLoaded, Waiting } from "./parts.ts";
import { go, usePlace } from "./place.ts";

interface Listing {
  readonly scenarios: readonly { readonly name: string; readonly about: string }[];
}

export function ScenariosSection({ api, log }: ViewProps): Part {
  const { search = "" } = usePlace();
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
    <p>A play starts this world anew: what is in it now is replaced at the end of the play.</p>
    <input type="search" aria-label="Search" placeholder="Search scenarios" value=${search}
      onInput=${(event: Event) => go({ search: textOf(event) }, "replace")} />
    ${playing !== undefined && html`<${Progress} name=${playing} requests=${log.items.filter(isRow).length} />`}
    ${result !== undefined && html`<${Result} result=${result} />`}
    <${Waiting} loaded=${loaded} />
    ${found.map(
      ({ name, about }) => html`<div class="point" key=${name}>
        <b>${name}</b> <${ActionButton} label="play" question="play, and replace this world?" act=${() => play(name)} />
        <div class="quiet">${about}</div>
      </div>`,
    )}`;
}

function Progress({ name, requests }: { readonly name: string; readonly requests: number }): Part {
  const [start] = useState(performance.now());
  const [now, setNow] = useState(start);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 200);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.round((now - start) / 100) / 10;
  return html`<p class="notice">Playing <b>${name}</b> for ${seconds.toFixed(1)} s.${" "}
    <span class="quiet">The world shows ${requests} requests.</span></p>`;
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
      [
        "Invariants",
        `${invariants.filter((one) => one.verdict === "held").length} of ${invariants.length} held`,
      ],
      ["Digest", digest],
      ["Again", html`<code>${reproduce}</code>`],
    ]} />
    ${failed.length > 0 && html`<${Table} label="What didn't hold" head=${["step", "what", "expected", "found"]} rows=${failed} />`}
  </section>`;
}
