/** The state of a world as a whole: saved, loaded, forked, reset; and the other worlds of the server. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import {
  ActionButton,
  ActionForm,
  type DrawerProps,
  Input,
  type Part,
  type Values,
} from "./parts.ts";
import { Refusal, type Source } from "./source.ts";

export function StateOfWorld({ source, worlds }: DrawerProps): Part {
  const [made, setMade] = useState("");
  const [file, setFile] = useState<File>();
  const [seed, setSeed] = useState("");
  const own = worlds.find(({ name }) => name === source.world);
  const fork = async ({ name = "" }: Values): Promise<void> => {
    await source.send("POST", "worlds", { name });
    setMade(name);
  };
  const load = async (): Promise<void> => {
    if (file === undefined) throw new Refusal("Choose a file first.");
    await source.send("PUT", "snapshot", await file.text());
  };
  const reset = (): Promise<unknown> => source.send("POST", "reset", seed === "" ? {} : { seed });
  const textOf = ({ currentTarget }: Event): string => (currentTarget as HTMLInputElement).value;
  return html`
    <section><h3>Save and load</h3>
      <p class="buttons"><${ActionButton} label="Save to a file" act=${() => download(source)} />
        <label class="field"><span>A saved file</span><input type="file" accept=".json,application/json"
          onChange=${(event: Event) => setFile((event.currentTarget as HTMLInputElement).files?.[0])} /></label>
        <${ActionButton} label="Load" question="Replace this world's state?" act=${load} /></p></section>
    <section><h3>Fork</h3>
      <${ActionForm} submit="Fork this world" act=${fork}><${Input} label="Name of the new world" name="name" value="fork-1" /></${ActionForm}>
      ${made !== "" && html`<p>World ${made} is ready: <a href=${source.pageOf(made)}>open it</a>.</p>`}</section>
    <section><h3>Reset</h3>
      <p class="buttons"><label class="field"><span>Seed</span><input placeholder=${own?.seed ?? ""} autocomplete="off"
          onInput=${(event: Event) => setSeed(textOf(event))} /></label>
        <${ActionButton} label="Reset this world" question=${`Forget ${counted(own?.requests ?? 0, "request")}?`} act=${reset} /></p></section>
    <section><h3>Worlds</h3>
      ${worlds.map(
        ({
          name,
          requests,
          now,
        }) => html`<p class="buttons" key=${name}><a href=${source.pageOf(name)}>${name}</a>
          <span class="quiet">${counted(requests, "request")}, ${now.slice(0, 16).replace("T", " ")}</span>
          ${
            name !== source.world &&
            html`<${ActionButton} label="Delete" question=${`Delete ${name}?`}
            act=${() => source.send("DELETE", `worlds/${encodeURIComponent(name)}`)} />`
          }</p>`,
      )}</section>`;
}

async function download(source: Source): Promise<void> {
  const snapshot = await source.get<object>("snapshot");
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(snapshot)], { type: "application/json" }),
  );
  Object.assign(document.createElement("a"), {
    href: url,
    download: `${source.world}.snapshot.json`,
  }).click();
  URL.revokeObjectURL(url);
}
