/**
 * What a node should look like: from what administrators declare to one rendered config per pool. Pure.
 *
 *     ignition/    the Ignition format: parse, validate, translate, merge, encode
 *     content/     one MachineConfig: is it valid, and can running nodes follow a change to it
 *     render/      the MachineConfigs of a pool → one rendered MachineConfig
 *     settings/    KubeletConfig and ContainerRuntimeConfig → MachineConfigs
 *     registries/  mirror sets and image policies → registries.conf, policy.json
 *     kubelet/     what keeps a kubelet from starting
 *     crio/        what keeps CRI-O from starting
 *     systemd/     names and settings of unit files
 */
