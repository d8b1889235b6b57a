//! Questions to the database about tokens, logins, environments and webhooks.

use super::access_token::{AccessRights, TokenRow, new_token, token_hash};
use super::database::{Store, StoreError};
use super::job::now;
use super::test_environment::TestEnvironment;
use rusqlite::{OptionalExtension, params};

/// How long a browser stays logged in: a working week.
const LOGIN_MILLISECONDS: i64 = 7 * 24 * 3600 * 1000;

/// How exactly the last use of a token is known.
const LAST_USED_MILLISECONDS: i64 = 3600 * 1000;

impl Store {
    /// Makes a token. It is returned this once. An older token of the same name is replaced.
    pub fn add_token(&self, name: &str, rights: AccessRights) -> Result<String, StoreError> {
        let token = new_token();
        self.write(|database| {
            database.execute("DELETE FROM tokens WHERE name = ?", [name])?;
            database.execute(
                "INSERT INTO tokens (name, hash, rights, created) VALUES (?, ?, ?, ?)",
                params![name, token_hash(&token), rights.to_string(), now()],
            )?;
            Ok(())
        })?;
        Ok(token)
    }

    /// Removes a token. Returns whether there was one.
    pub fn remove_token(&self, name: &str) -> Result<bool, StoreError> {
        self.write(
            |database| Ok(database.execute("DELETE FROM tokens WHERE name = ?", [name])? > 0),
        )
    }

    /// All tokens.
    pub fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.read(|database| {
            let sql = "SELECT name, rights, created, last_used FROM tokens ORDER BY name";
            let mut statement = database.prepare_cached(sql)?;
            let rows = statement.query_map([], token_of)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The token with a text.
    pub fn token(&self, token: &str) -> Result<Option<TokenRow>, StoreError> {
        let hash = token_hash(token);
        let found = self.read(|database| {
            let sql = "SELECT name, rights, created, last_used FROM tokens WHERE hash = ?";
            let mut statement = database.prepare_cached(sql)?;
            Ok(statement.query_row([&hash], token_of).optional()?)
        })?;
        if let Some(row) = &found
            && row.last_used.is_none_or(|last| now() - last > LAST_USED_MILLISECONDS)
        {
            self.write(|database| {
                let sql = "UPDATE tokens SET last_used = ? WHERE hash = ?";
                database.execute(sql, params![now(), hash])?;
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// Makes a login of a browser, and returns the text of its cookie.
    pub fn add_login(&self, token_name: &str) -> Result<String, StoreError> {
        let cookie = new_token();
        self.write(|database| {
            database.execute("DELETE FROM logins WHERE expires < ?", [now()])?;
            database.execute(
                "INSERT INTO logins (hash, token, expires) VALUES (?, ?, ?)",
                params![token_hash(&cookie), token_name, now() + LOGIN_MILLISECONDS],
            )?;
            Ok(())
        })?;
        Ok(cookie)
    }

    /// The token to which the login of a cookie belongs.
    pub fn login(&self, cookie: &str) -> Result<Option<TokenRow>, StoreError> {
        self.read(|database| {
            let mut statement = database.prepare_cached(
                "SELECT name, rights, created, last_used FROM tokens JOIN logins ON token = name \
                 WHERE logins.hash = ? AND expires > ?",
            )?;
            let row = statement.query_row(params![token_hash(cookie), now()], token_of);
            Ok(row.optional()?)
        })
    }

    /// Ends the login of a cookie.
    pub fn remove_login(&self, cookie: &str) -> Result<(), StoreError> {
        self.write(|database| {
            database.execute("DELETE FROM logins WHERE hash = ?", [token_hash(cookie)])?;
            Ok(())
        })
    }

    /// Adds a version of an environment, and returns its number. If nothing has changed, that of the last version.
    pub fn add_environment(
        &self,
        environment: &TestEnvironment,
        author: Option<&str>,
    ) -> Result<i64, StoreError> {
        let text = serde_json::to_string(environment)?;
        self.write(|database| {
            let sql = "SELECT version, description FROM environments WHERE name = ? ORDER BY version DESC LIMIT 1";
            let last: Option<(i64, String)> = database
                .query_row(sql, [&environment.name], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let version = match last {
                Some((version, known)) if known == text => return Ok(version),
                Some((version, _)) => version + 1,
                None => 1,
            };
            database.execute(
                "INSERT INTO environments (name, version, description, author, created) VALUES (?, ?, ?, ?, ?)",
                params![environment.name, version, text, author, now()],
            )?;
            Ok(version)
        })
    }

    /// An environment in its newest version or another one, with the number of the version.
    pub fn environment(
        &self,
        name: &str,
        version: Option<i64>,
    ) -> Result<Option<(TestEnvironment, i64)>, StoreError> {
        self.read(|database| {
            let mut statement = database.prepare_cached(
                "SELECT description, version FROM environments WHERE name = ? AND version = coalesce(?, version) \
                 ORDER BY version DESC LIMIT 1",
            )?;
            let row = statement
                .query_row(params![name, version], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((text, version)): Option<(String, i64)> = row else { return Ok(None) };
            Ok(Some((serde_json::from_str(&text)?, version)))
        })
    }

    /// All environments in their newest versions.
    pub fn environments(&self) -> Result<Vec<(TestEnvironment, i64)>, StoreError> {
        self.read(|database| {
            let mut statement = database.prepare_cached(
                "SELECT description, max(version) FROM environments GROUP BY name ORDER BY name",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let parse = |row: rusqlite::Result<(String, i64)>| -> Result<_, StoreError> {
                let (text, version) = row?;
                Ok((serde_json::from_str(&text)?, version))
            };
            rows.map(parse).collect()
        })
    }

    /// The address that is called when a job of a project has ended.
    pub fn webhook(&self, project: &str) -> Result<Option<String>, StoreError> {
        self.read(|database| {
            let sql = "SELECT url FROM webhooks WHERE project = ?";
            Ok(database.query_row(sql, [project], |row| row.get(0)).optional()?)
        })
    }

    /// Sets or removes the webhook of a project.
    pub fn set_webhook(&self, project: &str, url: Option<&str>) -> Result<(), StoreError> {
        self.write(|database| {
            database.execute("DELETE FROM webhooks WHERE project = ?", [project])?;
            if let Some(url) = url {
                let sql = "INSERT INTO webhooks (project, url) VALUES (?, ?)";
                database.execute(sql, [project, url])?;
            }
            Ok(())
        })
    }
}

fn token_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<TokenRow> {
    let rights: String = row.get(1)?;
    Ok(TokenRow {
        name: row.get(0)?,
        // Rights of a newer version are not known here.
        rights: AccessRights::parse(&rights).unwrap_or_default(),
        created: row.get(2)?,
        last_used: row.get(3)?,
    })
}
