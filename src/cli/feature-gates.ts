/** `--feature-gates`, in the format of Kubernetes components. */
import { Option } from 'commander';
import { Failure } from '../base/errors.ts';

const IMAGE_MODE = 'ImageModeStatusReporting';

export function featureGatesOption(): Option {
  return new Option('--feature-gates <GATES>', `${IMAGE_MODE}=true shows images in MachineConfigNodes`);
}

/** Parses `A=true,B=false`. The first value of a gate counts. */
export function isImageModeReported(gates: string | undefined): boolean {
  const values = (gates ?? '')
    .split(',')
    .filter((gate) => gate !== '')
    .map((gate) => {
      const [key = '', value = ''] = gate.split('=');
      if (key === IMAGE_MODE && (value === 'true' || value === 'false')) return value === 'true';
      const known = `${IMAGE_MODE}=true|false`;
      throw new Failure(
        'usage',
        'FeatureGateUnknown',
        `--feature-gates: unknown "${gate}": expected ${known}`,
      );
    });
  return values[0] ?? false;
}
