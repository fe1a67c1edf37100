package main

import (
	"fmt"

	"github.com/coreos/ign-converter/translate/v23tov30"
	types2 "github.com/coreos/ignition/config/v2_2/types"
	spec23 "github.com/coreos/ignition/config/v2_3"
	lift31 "github.com/coreos/ignition/v2/config/v3_1/translate"
	lift32 "github.com/coreos/ignition/v2/config/v3_2/translate"
	lift33 "github.com/coreos/ignition/v2/config/v3_3/translate"
	lift34 "github.com/coreos/ignition/v2/config/v3_4/translate"
	lift35 "github.com/coreos/ignition/v2/config/v3_5/translate"
	types3 "github.com/coreos/ignition/v2/config/v3_5/types"
)

// liftTo3 takes a config of spec 2.2 up to 3.5.
func liftTo3(config types2.Config) (types3.Config, error) {
	v30, err := v23tov30.Translate(spec23.Translate(config), map[string]string{"root": "/"})
	if err != nil {
		return types3.Config{}, fmt.Errorf("unable to convert Ignition spec v2 config to v3: %w", err)
	}
	v32 := lift32.Translate(lift31.Translate(v30))
	return lift35.Translate(lift34.Translate(lift33.Translate(v32))), nil
}

// withoutDuplicates is the operator's cleaning of a spec 2 config, since spec 3 forbids duplicates: the last
// file, unit and user of a name win, and what came before gives its drop-ins and keys to the winner.
func withoutDuplicates(config types2.Config) (types2.Config, error) {
	config.Storage.Files = lastOfEachPath(config.Storage.Files)
	config.Systemd.Units = lastOfEachName(config.Systemd.Units)
	users, err := onlyCore(config.Passwd.Users)
	if err != nil {
		return types2.Config{}, err
	}
	config.Passwd.Users = users
	return config, nil
}

func lastOfEachPath(files []types2.File) []types2.File {
	var kept []types2.File
	seen := map[string]bool{}
	for index := len(files) - 1; index >= 0; index-- {
		if file := files[index]; !seen[file.Path] {
			seen[file.Path] = true
			kept = append(kept, file)
		}
	}
	return kept
}

func lastOfEachName(units []types2.Unit) []types2.Unit {
	var kept []types2.Unit
	position := map[string]int{}
	for index := len(units) - 1; index >= 0; index-- {
		unit := units[index]
		winner, duplicate := position[unit.Name]
		if !duplicate {
			position[unit.Name] = len(kept)
			kept = append(kept, unit)
			continue
		}
		for _, dropin := range unit.Dropins {
			if !hasDropin(kept[winner].Dropins, dropin.Name) {
				kept[winner].Dropins = append(kept[winner].Dropins, dropin)
			}
		}
	}
	return kept
}

func hasDropin(dropins []types2.SystemdDropin, name string) bool {
	for _, dropin := range dropins {
		if dropin.Name == name {
			return true
		}
	}
	return false
}

func onlyCore(users []types2.PasswdUser) ([]types2.PasswdUser, error) {
	if len(users) == 0 {
		return users, nil
	}
	var keys []types2.SSHAuthorizedKey
	seen := map[types2.SSHAuthorizedKey]bool{}
	for index := len(users) - 1; index >= 0; index-- {
		user := users[index]
		if user.Name != "core" {
			return nil, fmt.Errorf("unexpected user with name: %v. Only core user is supported", user.Name)
		}
		for _, key := range user.SSHAuthorizedKeys {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	core := users[len(users)-1]
	core.SSHAuthorizedKeys = keys
	return []types2.PasswdUser{core}, nil
}
