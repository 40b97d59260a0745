// drive.mjs
import { Controller } from "./indicator.mjs";
const lights = { on: () => "o", off: () => "." };
const indicator = new Controller({ env: lights, cells: { lamp: "." } });
let seen = "";
for (const lever of [false, true, true, true, true, false, true]) {
  indicator.step({ lever });
  seen += indicator.cells.lamp;
}
console.log(seen);
