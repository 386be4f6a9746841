package crawl

import (
	"fmt"

	"github.com/recrawl/recrawl/planner"
)

// learntSetting is the name under which the store keeps what a policy has learnt.
const learntSetting = "policy/learnt"

// learntEvery is after how many visits it is kept again, besides at the end of each round.
const learntEvery = 1000

// RecallLearnt gives a policy what it had learnt when the store was last in use. It goes before the
// first round. After an error the policy begins anew.
func RecallLearnt(s Store, policy planner.Policy) error {
	learner, ok := policy.(planner.Learner)
	if !ok {
		return nil
	}
	learnt, ok, err := s.Setting(learntSetting)
	if err != nil || !ok {
		return err
	}
	return learner.Recall(learnt)
}

// SaveLearnt keeps what a policy has learnt. It is durable with the next commit.
func SaveLearnt(s Store, policy planner.Policy) error {
	learner, ok := policy.(planner.Learner)
	if !ok {
		return nil
	}
	learnt, err := learner.Learnt()
	if err != nil {
		return fmt.Errorf("write down what the policy has learnt: %w", err)
	}
	return s.SaveSetting(learntSetting, learnt)
}

// saveLearnt keeps what the policy has learnt, where the loop goes on after a restart: at the end
// of a round, and after many visits.
func (l *Loop) saveLearnt(roundEnds bool) error {
	l.sinceLearnt += l.uncommitted
	if !l.Reserve || !roundEnds && l.sinceLearnt < learntEvery {
		return nil
	}
	l.sinceLearnt = 0
	if err := l.awaitVerified(); err != nil {
		return err
	}
	if err := SaveLearnt(l.Store, l.Planner.Policy); err != nil {
		return l.storeError(err, "keep what the policy has learnt")
	}
	if !roundEnds {
		return nil
	}
	return l.saveMemory()
}
