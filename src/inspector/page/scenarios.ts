/** The scenarios that come with adsim: plays one in this world. */

import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import type { PlayResult } from "../../play/player/result.ts";
import { useLoaded, useTicks } from "./loading.ts";
import {
  ActionButton,
  announce,
  type DrawerProps,
  Facts,
  type Part,
  Problem,
  Search,
  Waiting,
} from "./parts.ts";
import { go, usePlace } from "./place.ts";
import type { Source } from "./source.ts";

interface Playing {
  /** Null for a scenario that was sent as a whole. */
  readonly name: string | null;
  readonly step: number;
  readonly steps: number;
  readonly requests: number;
}

/** The play that this page started last. It goes on while the user is elsewhere on the page. */
interface OwnPlay {
  readonly result?: PlayResult;
  readonly error?: unknown;
}

let own: OwnPlay = {};
let showOwn: (play: OwnPlay) => void = () => undefined;

async function play(source: Source, name: string): Promise<void> {
  const note = (play: OwnPlay): void => {
    own = play;
    showOwn(play);
  };
  note({});
  try {
    const result = await source.send<PlayResult>("POST", "scenarios/play", { name });
    note({ result });
    announce(`${name}: ${result.result}.`);
  } catch (error) {
    note({ error });
  }
}

export function Scenarios({ source }: DrawerProps): Part {
  const { search = "" } = usePlace();
  const [{ result, error }, setOwn] = useState(own);
  useEffect(() => {
    showOwn = setOwn;
  }, []);
  const loaded = useLoaded(
    () => source.get<{ scenarios: readonly { name: string; about: string }[] }>("scenarios"),
    [source],
  );
  const state = useLoaded(
    () => source.get<{ playing: Playing | null }>("scenarios/play"),
    [source],
    useTicks(500),
  );
  const playing = state.value?.playing;
  const found = (loaded.value?.scenarios ?? []).filter(({ name, about }) =>
    `${name} ${about}`.toLowerCase().includes(search.toLowerCase()),
  );
  return html`
    <${Search} label="Search scenarios" value=${search} onSearch=${(text: string) => go({ search: text }, "replace")} />
    <p class="quiet">When a play ends, its state replaces this world's.</p>
    ${
      playing &&
      html`<p class="notice">Playing <b>${playing.name ?? "a scenario"}</b>: step ${playing.step} of ${playing.steps}, ${playing.requests} requests
      <progress max=${playing.steps} value=${playing.step} aria-label="Steps played" /></p>`
    }
    ${result !== undefined && html`<${Result} played=${result} />`}
    <${Problem} error=${error} />
    <${Waiting} loaded=${loaded} />
    ${found.map(
      ({ name, about }) => html`<div class="point" key=${name}>
        <h3>${name} ${!playing && html`<${ActionButton} label="Play" question="Play, and replace this world?" act=${() => play(source, name)} />`}</h3>
        <p class="quiet">${about}</p>
      </div>`,
    )}`;
}

function Result({ played }: { readonly played: PlayResult }): Part {
  const { scenario, result, why, steps, reproduce } = played;
  const failed = steps.flatMap(({ title, checks }) =>
    checks.filter((check) => check.result !== "passed").map((check) => ({ title, ...check })),
  );
  return html`<section class="notice"><h3>${scenario.name}: ${result}</h3>
    ${why !== undefined && html`<p>${why}</p>`}
    ${failed.map(
      ({ title, about, expected, found }) => html`<${Facts} key=${title + about}
      facts=${[["Step", title], ["What", about], ["Expected", expected], ["Found", found]]} />`,
    )}
    <p class="quiet">Again: <code>${reproduce}</code></p></section>`;
}
