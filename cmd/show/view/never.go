package view

import (
	"encoding/json"
	"fmt"
	"slices"
)

// SettingsStore is a store whose settings can be changed.
type SettingsStore interface {
	Keeper
	SaveSetting(name string, value []byte) error
	Commit() error
}

// Never keeps addresses that are never visited in the settings of a store, which no loop may have
// open. An address stands for all that begin with it; with "$" at its end, for itself alone.
func Never(store SettingsStore, addresses []string) error {
	s, err := LoadSettings(store)
	if err != nil {
		return err
	}
	for _, address := range addresses {
		if rule := address + "=0"; !slices.Contains(s.Weights, rule) {
			s.Weights = append(s.Weights, rule)
		}
	}
	if err := s.check(); err != nil {
		return err
	}
	value, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := store.SaveSetting(settingsName, value); err != nil {
		return fmt.Errorf("store the rules for pages that are never visited: %w", err)
	}
	return store.Commit()
}
