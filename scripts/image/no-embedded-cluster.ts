/**
 * In the place of the commands of the embedded cluster and of simulations, which images leave out with all that only they use (an API server,
 * a store with a native library, sandbox nodes).
 */
import { Failure } from '../../src/base/errors.ts';

function refuse(): never {
  const message =
    'images of Millwright have neither an embedded cluster nor simulations: install the npm package for this command';
  throw new Failure('usage', 'NoEmbeddedCluster', message);
}

export { refuse as apiserverCommand, refuse as nodeCommand, refuse as simulateCommand, refuse as upCommand };
