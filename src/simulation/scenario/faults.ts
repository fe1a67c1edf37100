/**
 * Makes things go wrong, and ends what lasts: after its time, or when all faults end.
 */
import { machineOSConfig as osConfigKind } from '../../api/index.ts';
import type { BuildOutcome } from '../cluster/build-pods.ts';
import type { SimulatedCluster } from '../cluster/cluster.ts';
import { osImage } from '../cluster/os-images.ts';
import { CALM } from '../network.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { Fault } from './scenario.ts';

/** A power cut at a write happens within this time, or not at all. */
const CUT_LIMIT_MS = 15 * 60_000;

export class Faults {
  readonly #cluster: SimulatedCluster;
  /** What ends a fault that lasts. */
  readonly #ends = new Set<() => void>();

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  /** Those that last. */
  end(): void {
    for (const end of this.#ends) end();
    this.#ends.clear();
  }

  inflict(fault: Fault): void {
    const { network, registry } = this.#cluster;
    switch (fault.kind) {
      case 'kill':
        this.#process(fault.process)?.kill();
        break;
      case 'kill at call':
        this.#process(fault.process)?.gate?.planKill(fault);
        break;
      case 'terminate':
        this.#process(fault.process)?.terminate();
        break;
      case 'stop process':
        this.#process(fault.process)?.gate?.stop(fault.ms);
        break;
      case 'stop at call':
        this.#process(fault.process)?.gate?.planStop(fault);
        break;
      case 'skew clock':
        this.#process(fault.process)?.skewClock(fault.skewMs);
        break;
      case 'partition':
        network.partition(fault.process);
        this.#endAfter(fault.ms, () => network.heal(fault.process));
        break;
      case 'registry down':
        registry.isDown = true;
        this.#endAfter(fault.ms, () => registry.restore());
        break;
      case 'lost image':
        registry.lose(osImage(fault.number));
        this.#endAfter(fault.ms, () => registry.restore());
        break;
      case 'bad network':
        network.conditions = fault.conditions;
        this.#endAfter(fault.ms, () => {
          network.conditions = CALM;
        });
        break;
      case 'builds fail':
        this.#failBuilds('fail', fault.ms);
        break;
      case 'builds hang':
        this.#failBuilds('hang', fault.ms);
        break;
      case 'lost built image':
        this.#loseBuiltImage(fault.pool);
        break;
      default:
        this.#failMachine(fault);
        break;
    }
  }

  #failMachine(fault: Extract<Fault, { readonly node: string }>): void {
    const machine = this.#cluster.machines.get(fault.node);
    if (machine === undefined) return;
    const { faults } = machine.sandbox;
    switch (fault.kind) {
      case 'power cut':
        machine.cutPower(fault.ms);
        break;
      case 'power cut at write': {
        const { call, when, ms } = fault;
        machine.planCut({ call, when }, { limitMs: CUT_LIMIT_MS, offMs: ms });
        break;
      }
      case 'stuck boot':
        faults.isBootStuck = true;
        this.#endAfter(fault.ms, () => {
          faults.isBootStuck = false;
          machine.boot();
        });
        break;
      case 'slow machine':
        machine.times.bootMs *= fault.factor;
        machine.times.pullMs *= fault.factor;
        return;
      case 'refused reboot':
        faults.isRebootRefused = true;
        this.#endAfter(fault.ms, () => {
          faults.isRebootRefused = false;
        });
        break;
      case 'full disk':
        this.#endAfter(
          fault.ms,
          machine.disk.addFault({
            path: '/rootfs',
            code: 'ENOSPC',
            calls: ['create', 'write', 'makeFolder'],
          }),
        );
        break;
    }
  }

  #failBuilds(outcome: BuildOutcome, ms: number): void {
    const { buildPods } = this.#cluster;
    if (buildPods === undefined) return;
    buildPods.outcome = outcome;
    this.#endAfter(ms, () => {
      buildPods.outcome = 'succeed';
    });
  }

  #loseBuiltImage(pool: string): void {
    const { kube, registry, trace } = this.#cluster;
    kube.get(osConfigKind, { name: pool }).then(
      (config) => {
        const image = config?.status?.currentImagePullSpec;
        if (image === undefined) return;
        trace.add(`somebody deletes ${image} from the registry`);
        registry.drop(image);
      },
      () => undefined,
    );
  }

  #endAfter(ms: number, end: () => void): void {
    const once = () => {
      if (this.#ends.delete(once)) end();
    };
    this.#ends.add(once);
    this.#cluster.clock.after(ms, once);
  }

  #process(name: string): SupervisedProcess | undefined {
    const { components, machines } = this.#cluster;
    if (name.startsWith('daemon/')) return machines.get(name.slice('daemon/'.length))?.daemon;
    return components.find((component) => component.name === name);
  }
}
