package dashboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const cookieName = "recrawl-dashboard"

// contentPolicy is the Content-Security-Policy of pages. It allows uPlot, which sets styles by
// script, but no style attributes and elements.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard refuses requests that must not be answered.
func (s *Server) guard(next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // without it browsers hide the origin of forms
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		h.Set("Cache-Control", "no-store")
		if !s.names.Has(r.Host) {
			s.refuse(w, r, http.StatusMisdirectedRequest, s.names.Refusal(r.Host))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		if open := r.URL.Path == "/healthz" || r.URL.Path == "/readyz" || r.URL.Path == "/login" ||
			strings.HasPrefix(r.URL.Path, "/assets/"); !open {
			token := r.URL.Query().Get("token")
			// Feed readers keep no cookie. A browser with a cookie may send any token.
			feed := r.URL.Path == feedPath &&
				(s.token != "" && same(token, s.feedToken()) || s.allowed(r))
			switch {
			case feed:
			case token != "" && s.token != "" && r.Method == http.MethodGet:
				s.enter(w, r, token)
				return
			case !s.allowed(r):
				s.refuse(w, r, http.StatusUnauthorized, "a token is needed: the address that the "+
					"run printed when it began has it, and so does dashboard.token in its data "+
					"directory")
				return
			}
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if err := sameOrigin.Check(r); err != nil || !s.ownOrigin(r) {
				s.refuse(w, r, http.StatusForbidden, "the request came from another origin")
				return
			}
			if !s.bearer(r, s.secret) && r.URL.Path != "/login" && !same(formToken(r), s.form) {
				s.refuse(w, r, http.StatusForbidden,
					"the form is of an earlier run: load the page again")
				return
			}
			s.o.Log.Info("request", "method", r.Method, "path", r.URL.Path)
		}
		next.ServeHTTP(w, r)
	})
}

// allowed reports whether the sender of a request may see anything.
func (s *Server) allowed(r *http.Request) bool {
	if s.token == "" || s.bearer(r, s.secret) || s.bearer(r, s.token) {
		return true
	}
	c, err := r.Cookie(cookieName)
	return err == nil && same(c.Value, s.cookie())
}

func (s *Server) bearer(r *http.Request, secret string) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && same(given, secret)
}

// cookie returns the cookie of a browser, which does not reveal the token.
func (s *Server) cookie() string { return s.derived(cookieName) }

// feedToken returns the token in the address of a feed. It opens nothing else: feed readers keep
// addresses, show them and pass them on.
func (s *Server) feedToken() string { return s.derived(strings.TrimPrefix(feedPath, "/"))[:32] }

// derived returns a secret for one purpose, which does not reveal the token.
func (s *Server) derived(purpose string) string {
	m := hmac.New(sha256.New, []byte(s.token))
	m.Write([]byte(purpose))
	return hex.EncodeToString(m.Sum(nil))
}

// enter accepts a browser with the token in its address, and removes the token from there.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, token string) {
	if !same(token, s.token) {
		s.refuse(w, r, http.StatusUnauthorized, "this is not the token")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.cookie(), Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: s.tls,
		MaxAge: int((30 * 24 * time.Hour).Seconds())})
	q := r.URL.Query()
	q.Del("token")
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: q.Encode()}
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	if s.token == "" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	r.URL.Path = "/"
	s.enter(w, r, strings.TrimSpace(r.PostFormValue("token")))
}

// formToken returns the token of a form, or of a request of a script.
func formToken(r *http.Request) string {
	if t := r.Header.Get("X-Form-Token"); t != "" {
		return t
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return r.PostFormValue("form")
	}
	return ""
}

// ownOrigin reports whether the origin of a request, if it has one, is this server.
func (s *Server) ownOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host &&
		(u.Scheme == s.scheme() || u.Scheme == "https" && !s.loopback)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// slot bounds the requests that are answered at a time.
func (s *Server) slot(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
			next.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			s.refuse(w, r, http.StatusServiceUnavailable, "too many requests at a time")
		}
	})
}

// refuse answers with the reason of a refusal.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if status >= 500 {
		s.o.Log.Warn("no answer", "path", r.URL.Path, "status", status, "err", why)
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		writeJSON(w, status, apiError{why})
		return
	}
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, why, status)
		return
	}
	s.write(w, status, "refused",
		&content{Title: http.StatusText(status),
			Data: refused{why, status == http.StatusUnauthorized}})
}

// refused is the content of the page of that name.
type refused struct {
	Why   string
	Login bool
}
