// Times meshoptimizer's simplify on a mesh from standard input: two uint32, the
// numbers of vertices and of indices, then float32 positions and uint32 indices.
// Prints the seconds on the processor of one run down to a tenth of the indices, the
// best of five.
import { MeshoptSimplifier } from 'meshoptimizer';
import { readFileSync } from 'node:fs';

await MeshoptSimplifier.ready;
const all = readFileSync(0);
const data = all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
const [vertices, count] = new Uint32Array(data, 0, 2);
const positions = new Float32Array(data, 8, 3 * vertices);
const indices = new Uint32Array(data, 8 + 12 * vertices, count);
let best = Infinity;
for (let i = 0; i < 5; i++) {
	const start = process.cpuUsage();
	MeshoptSimplifier.simplify(indices, positions, 3, 3 * Math.floor(count / 30), 1e9);
	const took = process.cpuUsage(start);
	best = Math.min(best, (took.user + took.system) / 1e6);
}
console.log(best);
