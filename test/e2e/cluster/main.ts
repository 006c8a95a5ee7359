/**
 * The cluster of the tests, by hand: `node test/e2e/cluster/main.ts up | down | images | load [image]`.
 *
 * up           starts a cluster that stays; tests use it from then on. Prints the path of its kubeconfig.
 * down         ends it, and all that runs on it.
 * images       builds the images.
 * load         builds the images and makes them, or the one named, known to the running cluster.
 */
import { CACHE, endCluster, startCluster } from './cluster.ts';
import { buildImages } from './images/build.ts';

const [command, image] = process.argv.slice(2);
switch (command) {
  case 'up':
    say((await startCluster({ detached: true })).kubeconfig);
    break;
  case 'down':
    say((await endCluster()) ? 'the cluster has ended' : 'no cluster was running');
    break;
  case 'images':
    say(Object.values(await buildImages(CACHE)).join('\n'));
    break;
  case 'load': {
    const images = Object.values(await buildImages(CACHE));
    const cluster = await startCluster({ detached: true });
    for (const name of image === undefined ? images : [image]) {
      await cluster.load(name);
      say(name);
    }
    break;
  }
  default:
    process.stderr.write('usage: node test/e2e/cluster/main.ts up | down | images | load [image]\n');
    process.exitCode = 2;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
