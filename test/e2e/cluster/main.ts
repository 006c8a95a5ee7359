/**
 * The cluster of the tests, by hand: `node test/e2e/cluster/main.ts up | down | images | load [image]`.
 *
 * up           starts a cluster that stays; tests use it from then on. Prints the path of its kubeconfig.
 * down         ends it, and all that runs on it.
 * images       builds the images.
 * load         builds the images and makes them, or the one named, known to the running cluster.
 */
import { CACHE, endCluster, startCluster } from './cluster.ts';
import { keepEngine } from './engine.ts';
import { buildImages } from './images/build.ts';

const [command, image] = process.argv.slice(2);
if (command === 'up') await keepEngine();
switch (command) {
  case 'up':
    say((await startCluster({ isDetached: true })).kubeconfig);
    break;
  case 'down':
    say((await endCluster()) ? 'the cluster has ended' : 'no cluster was running');
    break;
  case 'images':
    say(Object.values(await buildImages(CACHE)).join('\n'));
    break;
  case 'load': {
    const images = Object.values(await buildImages(CACHE));
    const cluster = await startCluster({ isDetached: true });
    const wanted = image === undefined ? images : [image];
    await cluster.load(...wanted);
    say(wanted.join('\n'));
    break;
  }
  default:
    process.stderr.write('usage: node test/e2e/cluster/main.ts up | down | images | load [image]\n');
    process.exitCode = 2;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
