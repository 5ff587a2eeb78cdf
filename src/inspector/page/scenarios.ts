/** The scenarios that come with adsim: plays one in this world. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { PlayResult } from "../../play/player/result.ts";
import { useLoaded } from "./loading.ts";
import { ActionButton, type DrawerProps, Facts, type Part, Search, Waiting } from "./parts.ts";
import { go, usePlace } from "./place.ts";

export function Scenarios({ source }: DrawerProps): Part {
  const { search = "" } = usePlace();
  const [playing, setPlaying] = useState("");
  const [played, setPlayed] = useState<PlayResult>();
  const loaded = useLoaded(
    () => source.get<{ scenarios: readonly { name: string; about: string }[] }>("scenarios"),
    [source],
  );
  const found = (loaded.value?.scenarios ?? []).filter(({ name, about }) =>
    `${name} ${about}`.toLowerCase().includes(search.toLowerCase()),
  );
  const play = async (name: string): Promise<void> => {
    setPlaying(name);
    setPlayed(undefined);
    const result = source.send<PlayResult>("POST", "scenarios/play", { name });
    await result.then(setPlayed).finally(() => setPlaying(""));
  };
  return html`
    <${Search} label="Search scenarios" value=${search} onSearch=${(text: string) => go({ search: text }, "replace")} />
    <p class="quiet">A play replaces this world's state as soon as it starts.</p>
    ${playing !== "" && html`<p class="notice">Playing <b>${playing}</b> …</p>`}
    ${played !== undefined && html`<${Result} played=${played} />`}
    <${Waiting} loaded=${loaded} />
    ${found.map(
      ({ name, about }) => html`<div class="point" key=${name}>
        <h3>${name} <${ActionButton} label="Play" question="Play, and replace this world?" act=${() => play(name)} /></h3>
        <p class="quiet">${about}</p>
      </div>`,
    )}`;
}

function Result({ played }: { readonly played: PlayResult }): Part {
  const { scenario, result, why, steps } = played;
  const failed = steps.flatMap(({ title, checks }) =>
    checks.filter((check) => check.result !== "passed").map((check) => ({ title, ...check })),
  );
  return html`<section class="notice"><h3>${scenario.name}: ${result}</h3>
    <p>${why}</p>
    ${failed.map(
      ({ title, about, expected, found }, index) => html`<${Facts} key=${index}
        facts=${[["Step", title], ["What", about], ["Expected", expected], ["Found", found]]} />`,
    )}</section>`;
}
