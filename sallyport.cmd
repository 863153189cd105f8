@echo off
rem Starts Sallyport from a checkout on Windows; see the file "sallyport" for what it does.
where node >nul 2>nul
if errorlevel 1 (
  echo sallyport: Node.js is missing 1>&2
  echo   install Node.js 18 or newer together with npm, and start again 1>&2
  exit /b 125
)
node "%~dp0scripts\bin.mjs" %*
