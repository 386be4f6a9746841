package crawl

import (
	"fmt"

	"github.com/recrawl/recrawl/planner"
)

// learntSetting names the setting that keeps what a policy has learnt.
const learntSetting = "policy/learnt"

// learntEvery is the number of visits between two saves of it, besides the one after each round.
const learntEvery = 1000

// RecallLearnt restores what a policy had learnt when the store was last in use. Call it before the
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

// SaveLearnt stores what a policy has learnt, durable with the next commit.
func SaveLearnt(s Store, policy planner.Policy) error {
	learner, ok := policy.(planner.Learner)
	if !ok {
		return nil
	}
	learnt, err := learner.Learnt()
	if err != nil {
		return fmt.Errorf("encode the lessons of the policy: %w", err)
	}
	return s.SaveSetting(learntSetting, learnt)
}

// saveLearnt stores what the policy has learnt, if the loop continues after a restart: at the end
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
		return l.storeError(err, "save the lessons of the policy")
	}
	if !roundEnds {
		return nil
	}
	return l.saveMemory()
}
