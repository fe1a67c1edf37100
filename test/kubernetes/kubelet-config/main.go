// The kubelet oracle: whether a kubelet starts with a configuration, as far as that can be known without a machine. It
// loads files and drop-ins, applies flags and validates the result with the functions that the kubelet itself calls.
//
// It belongs to the module of the kubelet, as its packages need the same pins.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	_ "unsafe" // for the names of functions that the kubelet does not export

	cadvisorapi "github.com/google/cadvisor/info/v1"
	"github.com/spf13/pflag"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/logs"
	"k8s.io/utils/cpuset"
)

//go:linkname loadConfigFile k8s.io/kubernetes/cmd/kubelet/app.loadConfigFile
func loadConfigFile(name string) (*kubeletconfig.KubeletConfiguration, error)

//go:linkname mergeKubeletConfigurations k8s.io/kubernetes/cmd/kubelet/app.mergeKubeletConfigurations
func mergeKubeletConfigurations(config *kubeletconfig.KubeletConfiguration, folder string) error

//go:linkname kubeletConfigFlagPrecedence k8s.io/kubernetes/cmd/kubelet/app.kubeletConfigFlagPrecedence
func kubeletConfigFlagPrecedence(config *kubeletconfig.KubeletConfiguration, args []string) error

//go:linkname parseResourceList k8s.io/kubernetes/cmd/kubelet/app.parseResourceList
func parseResourceList(m map[string]string) (v1.ResourceList, error)

type request struct {
	ID json.RawMessage `json:"id"`
	// judge, or flags.
	Op string `json:"op"`
	// The text of the file of --config.
	Main string `json:"main"`
	// The texts of the files of --config-dir by name; none means that the flag is not given.
	DropIns map[string]string `json:"dropIns"`
	Flags   []string          `json:"flags"`
}

type result struct {
	// Empty where the kubelet goes on.
	Problem string `json:"problem"`
}

type flag struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Without a value, the flag means this one.
	Bare string `json:"bare"`
}

type response struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	Fault  string          `json:"fault,omitempty"`
}

func main() {
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	encoder := json.NewEncoder(os.Stdout)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 1 {
			if err := encoder.Encode(answer(line)); err != nil {
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}

func answer(line []byte) response {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return response{Fault: err.Error()}
	}
	if asked.Op == "flags" {
		return response{ID: asked.ID, Result: allFlags()}
	}
	folder, err := os.MkdirTemp("", "millwright-kubelet-oracle-")
	if err != nil {
		return response{ID: asked.ID, Fault: err.Error()}
	}
	defer os.RemoveAll(folder)
	if err := writeFiles(folder, asked); err != nil {
		return response{ID: asked.ID, Fault: err.Error()}
	}
	return response{ID: asked.ID, Result: result{Problem: problemOf(folder, asked)}}
}

func writeFiles(folder string, asked request) error {
	if err := os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(asked.Main), 0o600); err != nil {
		return err
	}
	for name, text := range asked.DropIns {
		path := filepath.Join(folder, "config.d", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// problemOf follows the start of the kubelet. A panic ends it as an error does.
func problemOf(folder string, asked request) (problem string) {
	defer func() {
		if cause := recover(); cause != nil {
			problem = fmt.Sprintf("panic: %v", cause)
		}
	}()
	if err := start(folder, asked); err != nil {
		return err.Error()
	}
	return ""
}

func start(folder string, asked request) error {
	if err := parseFlags(asked.Flags); err != nil {
		return err
	}
	config, err := loadConfigFile(filepath.Join(folder, "config.yaml"))
	if err != nil {
		return err
	}
	if len(asked.DropIns) > 0 {
		if err := mergeKubeletConfigurations(config, filepath.Join(folder, "config.d")); err != nil {
			return err
		}
	}
	if err := kubeletConfigFlagPrecedence(config, asked.Flags); err != nil {
		return err
	}
	if err := validation.ValidateKubeletConfiguration(config, utilfeature.DefaultFeatureGate); err != nil {
		return err
	}
	return prepare(config)
}

// parseFlags does not exit on an error, and forgets what it has read.
func parseFlags(flags []string) error {
	set, own := flagSet()
	if err := set.Parse(flags); err != nil {
		return fmt.Errorf("failed to parse kubelet flag: %w", err)
	}
	if rest := set.Args(); len(rest) > 0 {
		return fmt.Errorf("unknown command %s", rest[0])
	}
	return options.ValidateKubeletFlags(own)
}

func flagSet() (*pflag.FlagSet, *options.KubeletFlags) {
	set := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
	set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	set.SetOutput(os.Stderr)
	own := options.NewKubeletFlags()
	own.AddFlags(set)
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		panic(err)
	}
	options.AddKubeletConfigFlags(set, config)
	options.AddGlobalFlags(set)
	set.BoolP("help", "h", false, "")
	return set, own
}

func allFlags() []flag {
	set, _ := flagSet()
	found := []flag{}
	set.VisitAll(func(one *pflag.Flag) {
		found = append(found, flag{Name: one.Name, Type: one.Value.Type(), Bare: one.NoOptDefVal})
	})
	return found
}

// prepare parses what the kubelet parses before it runs.
func prepare(config *kubeletconfig.KubeletConfiguration) error {
	for name, reserved := range map[string]map[string]string{"kubeReserved": config.KubeReserved, "systemReserved": config.SystemReserved} {
		if _, err := parseResourceList(reserved); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := cm.ParseQOSReserved(config.QOSReserved); err != nil {
		return err
	}
	if err := prepareServer(config); err != nil {
		return err
	}
	if _, err := logs.NewContainerLogManager(nil, nil, config.ContainerLogMaxSize, int(config.ContainerLogMaxFiles),
		int(config.ContainerLogMaxWorkers), config.ContainerLogMonitorInterval); err != nil {
		return err
	}
	_, err := eviction.ParseThresholdConfig(config.EnforceNodeAllocatable, config.EvictionHard, config.EvictionSoft,
		config.EvictionSoftGracePeriod, config.EvictionMinimumReclaim)
	return err
}

// prepareServer leaves out what needs a machine or a client: policies and modes that are right need them.
func prepareServer(config *kubeletconfig.KubeletConfiguration) error {
	if _, err := cliflag.TLSCipherSuites(config.TLSCipherSuites); err != nil {
		return err
	}
	if _, err := cliflag.TLSVersion(config.TLSMinVersion); err != nil {
		return err
	}
	if config.Authorization.Mode != kubeletconfig.KubeletAuthorizationModeWebhook {
		if _, err := app.BuildAuthz(nil, config.Authorization); err != nil {
			return err
		}
	}
	if config.CPUManagerPolicy != string(cpumanager.PolicyStatic) {
		if _, err := cpumanager.NewManager(config.CPUManagerPolicy, nil, config.CPUManagerReconcilePeriod.Duration,
			&cadvisorapi.MachineInfo{NumCores: 1, Topology: []cadvisorapi.Node{{Cores: []cadvisorapi.Core{{Threads: []int{0}}}}}},
			cpuset.New(), nil, os.TempDir(), nil); err != nil {
			return err
		}
	}
	return nil
}
